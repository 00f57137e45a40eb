PushRigCommand.main()
