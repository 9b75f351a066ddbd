SoakProgram.main()
