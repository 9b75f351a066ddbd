// ProgramTests
