// The entities that the programs of all languages find, as the Config.json of both emulators.

/** As Azure has it, in place of the hour that such a file means by default. */
const UNLIMITED = { DefaultMessageTimeToLive: 'P10675199DT2H48M5.4775807S' };
const LOCK = { ...UNLIMITED, LockDuration: 'PT30S', MaxDeliveryCount: 3 };
const EVERYTHING = {
  Name: 'everything',
  Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression: '1=1' } },
};

export const CONFIGURATION = {
  UserConfig: {
    Namespaces: [
      {
        Name: 'sbemulatorns',
        Queues: [
          { Name: 'plain', Properties: LOCK },
          { Name: 'short', Properties: { ...LOCK, LockDuration: 'PT2S' } },
          { Name: 'forever', Properties: UNLIMITED },
          {
            Name: 'duplicates',
            Properties: {
              ...UNLIMITED,
              RequiresDuplicateDetection: true,
              DuplicateDetectionHistoryTimeWindow: 'PT5M',
            },
          },
          { Name: 'sessions', Properties: { ...LOCK, RequiresSession: true } },
          { Name: 'short-sessions', Properties: { ...LOCK, LockDuration: 'PT2S', RequiresSession: true } },
          { Name: 'inbox', Properties: { ...UNLIMITED, ForwardTo: 'archive' } },
          { Name: 'archive', Properties: LOCK },
        ],
        Topics: [
          {
            Name: 'events',
            Properties: UNLIMITED,
            Subscriptions: [
              { Name: 'all', Properties: LOCK, Rules: [EVERYTHING] },
              {
                Name: 'red',
                Properties: LOCK,
                Rules: [
                  {
                    Name: 'label',
                    Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression: "sys.Label = 'red'" } },
                  },
                ],
              },
              { Name: 'ordered', Properties: { ...LOCK, RequiresSession: true } },
            ],
          },
        ],
      },
    ],
    Logging: { Type: 'File' },
  },
};
