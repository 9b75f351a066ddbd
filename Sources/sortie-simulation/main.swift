SimulationProgram.main()
