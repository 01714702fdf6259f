// The administration client: entities, rules with typed values, and counts.

using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;

namespace Scenarios;

static class Administration
{
    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["admin-entities"] = Entities,
        ["admin-rules"] = Rules,
        ["admin-counts"] = Counts,
    };

    public static ServiceBusAdministrationClient Client() => new(Setting("TLS_CONNECTION_STRING"));

    public static async Task<string[]> Names<T>(IAsyncEnumerable<T> all, Func<T, string> name) =>
        [.. await all.Select(name).Order(StringComparer.Ordinal).ToArrayAsync()];

    static async Task Entities()
    {
        await Queues(Client());
        await Topics(Client());
        // With "UseDevelopmentEmulator=true", the library speaks HTTP.
        await Queues(new ServiceBusAdministrationClient(Setting("CONNECTION_STRING")));
    }

    static async Task Queues(ServiceBusAdministrationClient client)
    {
        var name = NewId("queue");
        var options = new CreateQueueOptions(name) { LockDuration = TimeSpan.FromSeconds(20), MaxDeliveryCount = 7 };
        QueueProperties made = await client.CreateQueueAsync(options);
        Expect.Equal("made", (name, TimeSpan.FromSeconds(20), 7), (made.Name, made.LockDuration, made.MaxDeliveryCount));
        await Expect.Reason("create again", ServiceBusFailureReason.MessagingEntityAlreadyExists, () => client.CreateQueueAsync(name));
        QueueProperties read = await client.GetQueueAsync(name);
        Expect.Equal("read", made, read);
        read.MaxDeliveryCount = 9;
        read.UserMetadata = "changed & <kept>";
        await client.UpdateQueueAsync(read);
        read = await client.GetQueueAsync(name);
        Expect.Equal("changed", (9, "changed & <kept>"), (read.MaxDeliveryCount, read.UserMetadata));
        var names = await Names(client.GetQueuesAsync(), queue => queue.Name);
        Expect.True($"{name} and plain are listed: {string.Join(", ", names)}", names.Contains(name) && names.Contains(Plain));
        await client.DeleteQueueAsync(name);
        Expect.Equal("it exists", false, (await client.QueueExistsAsync(name)).Value);
        const ServiceBusFailureReason missing = ServiceBusFailureReason.MessagingEntityNotFound;
        await Expect.Reason("get what is deleted", missing, () => client.GetQueueAsync(name));
        await Expect.Reason("delete again", missing, () => client.DeleteQueueAsync(name));
        NamespaceProperties space = await client.GetNamespacePropertiesAsync();
        Expect.True("the namespace has a name", space.Name != "");
    }

    static async Task Topics(ServiceBusAdministrationClient client)
    {
        // The service lowers the names of queues and topics, and keeps those of subscriptions.
        var name = NewId("Topic");
        TopicProperties topic = await client.CreateTopicAsync(name);
        Expect.Equal("name", name.ToLowerInvariant(), topic.Name);
        var options = new CreateSubscriptionOptions(name, "Sub") { LockDuration = TimeSpan.FromSeconds(20) };
        SubscriptionProperties subscription = await client.CreateSubscriptionAsync(options);
        Expect.Equal("subscription", ("Sub", TimeSpan.FromSeconds(20)), (subscription.SubscriptionName, subscription.LockDuration));
        subscription.ForwardTo = "forever";
        subscription = await client.UpdateSubscriptionAsync(subscription);
        Expect.True($"it forwards, to {subscription.ForwardTo}", subscription.ForwardTo.EndsWith("/forever"));
        TopicRuntimeProperties counts = await client.GetTopicRuntimePropertiesAsync(name);
        Expect.Equal("subscriptions", 1, counts.SubscriptionCount);
        Expect.Equal("names of subscriptions", ["Sub"], await Names(client.GetSubscriptionsAsync(name), one => one.SubscriptionName));
        await client.DeleteSubscriptionAsync(name, "Sub");
        Expect.Equal("the subscription exists", false, (await client.SubscriptionExistsAsync(name, "Sub")).Value);
        await client.DeleteTopicAsync(name);
        Expect.Equal("the topic exists", false, (await client.TopicExistsAsync(name)).Value);
    }

    static async Task Rules()
    {
        var client = Client();
        var topic = NewId("rules");
        await client.CreateTopicAsync(topic);
        await client.CreateSubscriptionAsync(topic, "sub");
        Expect.Equal("first rules", ["$Default"], await Names(client.GetRulesAsync(topic, "sub"), rule => rule.Name));
        CreateRuleOptions[] rules =
        [
            new("sql", new SqlRuleFilter("color = @color AND size > @size") { Parameters = { ["@color"] = "red", ["@size"] = 3L } })
            {
                Action = new SqlRuleAction("SET seen = @seen") { Parameters = { ["@seen"] = true } },
            },
            new("correlation", new CorrelationRuleFilter
            {
                Subject = "red", MessageId = "m1", SessionId = "s1",
                ApplicationProperties =
                {
                    ["text"] = "a", ["int"] = 5, ["long"] = 1L << 40, ["double"] = 2.5, ["yes"] = true,
                    ["time"] = new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc), ["span"] = TimeSpan.FromHours(1),
                },
            }),
            new("all", new TrueRuleFilter()),
            new("none", new FalseRuleFilter()),
        ];
        foreach (var rule in rules)
        {
            await client.CreateRuleAsync(topic, "sub", rule);
            RuleProperties read = await client.GetRuleAsync(topic, "sub", rule.Name);
            Expect.Equal(rule.Name, (rule.Name, rule.Filter, rule.Action), (read.Name, read.Filter, read.Action));
        }
        RuleProperties sql = await client.GetRuleAsync(topic, "sub", "sql");
        sql.Filter = new SqlRuleFilter("color = 'blue'");
        RuleProperties changed = await client.UpdateRuleAsync(topic, "sub", sql);
        Expect.Equal("changed", sql, changed);
        await client.DeleteRuleAsync(topic, "sub", "$Default");
        Expect.Equal("rules", ["all", "correlation", "none", "sql"], await Names(client.GetRulesAsync(topic, "sub"), rule => rule.Name));
        await Expect.Failure<ArgumentException>("create with wrong SQL",
            () => client.CreateRuleAsync(topic, "sub", new CreateRuleOptions("wrong", new SqlRuleFilter("color = = 3"))));
        await client.DeleteTopicAsync(topic);
    }

    static async Task Counts()
    {
        var administration = Client();
        await using var client = Connect();
        var queue = NewId("counted");
        await administration.CreateQueueAsync(queue);
        QueueRuntimeProperties counts = await administration.GetQueueRuntimePropertiesAsync(queue);
        Expect.Equal("year of access of an unused queue", 1, counts.AccessedAt.Year);
        await client.Send(queue, "one", "two", "three", "four");
        await client.CreateSender(queue).ScheduleMessageAsync(Text("later"), DateTimeOffset.UtcNow.AddHours(1));
        await using var receiver = client.CreateReceiver(queue);
        await receiver.DeadLetterMessageAsync(await receiver.TakeOne());
        counts = await administration.GetQueueRuntimePropertiesAsync(queue);
        Expect.Equal("active, dead-lettered, scheduled, total", (3, 1, 1, 5),
            (counts.ActiveMessageCount, counts.DeadLetterMessageCount, counts.ScheduledMessageCount, counts.TotalMessageCount));
        Expect.True("it has a size", counts.SizeInBytes > 0);
        TopicRuntimeProperties topic = await administration.GetTopicRuntimePropertiesAsync("events");
        Expect.Equal("subscriptions", 3, topic.SubscriptionCount);
        await administration.DeleteQueueAsync(queue);
    }
}
