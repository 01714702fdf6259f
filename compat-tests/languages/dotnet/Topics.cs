// Topics with their subscriptions and rules, and forwarding.

using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Scenarios.Bus;

namespace Scenarios;

static class Topics
{
    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["topic-rules"] = Rules,
        ["forwarding"] = Forwarding,
    };

    static async Task Rules()
    {
        await using var client = Connect();
        foreach (var subscription in new[] { "all", "red" }) await BodiesOf(client, subscription);
        var session = NewId("ordered");
        ServiceBusMessage About(string subject) => new(subject) { Subject = subject, SessionId = session };
        await client.Send("events", About("red"), About("blue"));
        Expect.Equal("all", ["red", "blue"], await BodiesOf(client, "all"));
        Expect.Equal("red", ["red"], await BodiesOf(client, "red"));
        await using (var ordered = await client.AcceptSessionAsync("events", "ordered", session))
        {
            var received = await ordered.Take(2);
            Expect.Equal("ordered", ["red", "blue"], Bodies(received));
            await ordered.Complete(received);
        }
        await WithRuleAdded(client, async () =>
        {
            await client.Send("events", new ServiceBusMessage("green") { ApplicationProperties = { ["level"] = 5 } });
            await using var receiver = client.CreateReceiver("events", "red");
            var copy = await receiver.TakeOne();
            Expect.Equal("property set by the action", "yes", copy.ApplicationProperties["marked"]);
            await receiver.Complete(copy);
        });
    }

    /// <summary>Takes them.</summary>
    static async Task<string[]> BodiesOf(ServiceBusClient client, string subscription)
    {
        await using var receiver = client.CreateReceiver("events", subscription);
        List<string> bodies = [];
        while (await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(1)) is { } message)
        {
            bodies.Add(Body(message));
            await receiver.Complete(message);
        }
        return [.. bodies];
    }

    /// <summary>Through the subscription's own node, not through the administration.</summary>
    static async Task WithRuleAdded(ServiceBusClient client, Func<Task> act)
    {
        await using var rules = client.CreateRuleManager("events", "red");
        await rules.CreateRuleAsync(new CreateRuleOptions("level", new CorrelationRuleFilter { ApplicationProperties = { ["level"] = 5 } })
        {
            Action = new SqlRuleAction("SET marked = 'yes'"),
        });
        try
        {
            Expect.Equal("rules", ["label", "level"], await Administration.Names(rules.GetRulesAsync(), rule => rule.Name));
            await act();
        }
        finally
        {
            await rules.DeleteRuleAsync("level");
        }
    }

    static async Task Forwarding()
    {
        await using var client = Connect();
        await client.Drain("archive");
        await client.Send("inbox", new ServiceBusMessage("passes on") { MessageId = "forwarded" });
        await using var receiver = client.CreateReceiver("archive");
        var received = await receiver.TakeOne();
        Expect.Equal("message", ("passes on", "forwarded"), (Body(received), received.MessageId));
        await receiver.Complete(received);
        await Expect.Failure<InvalidOperationException>("receive from a queue that forwards",
            () => client.CreateReceiver("inbox").ReceiveMessageAsync(Patience));
    }
}
