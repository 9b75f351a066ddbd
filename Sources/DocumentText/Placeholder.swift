internal import CFyaml
