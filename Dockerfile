# Builds sortie, then keeps only the program and the libraries it needs.
#
#   docker build -t sortie .
#   docker run --rm sortie help
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libfyaml-dev libnghttp2-dev libpq-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /sortie
COPY . .
RUN swift build -c release --product sortie --static-swift-stdlib \
    && cp "$(swift build -c release --show-bin-path)/sortie" /usr/local/bin/sortie

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates libfyaml0 libnghttp2-14 libpq5 libssl3 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home sortie \
    && install --directory --owner sortie /var/lib/sortie
COPY --from=build /usr/local/bin/sortie /usr/local/bin/sortie
USER sortie
ENTRYPOINT ["sortie"]
CMD ["help"]
