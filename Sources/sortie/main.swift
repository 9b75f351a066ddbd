import CommandLineTool

CommandLineProgram.main()
