// The entities that the programs of all languages find, as the Config.json of both emulators.

const LOCK = { LockDuration: 'PT30S', MaxDeliveryCount: 3 };
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
          { Name: 'short', Properties: { LockDuration: 'PT2S', MaxDeliveryCount: 3 } },
          { Name: 'forever', Properties: {} },
          {
            Name: 'duplicates',
            Properties: { RequiresDuplicateDetection: true, DuplicateDetectionHistoryTimeWindow: 'PT5M' },
          },
          { Name: 'sessions', Properties: { ...LOCK, RequiresSession: true } },
          { Name: 'inbox', Properties: { ForwardTo: 'archive' } },
          { Name: 'archive', Properties: LOCK },
        ],
        Topics: [
          {
            Name: 'events',
            Properties: {},
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
