CrashProgram.main()
