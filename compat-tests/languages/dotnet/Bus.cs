// The clients of the library over AMQP without TLS, and the steps that most scenarios share.

using Azure.Messaging.ServiceBus;

namespace Scenarios;

static class Bus
{
    public const string Plain = "plain";

    /// <summary>For what must come.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);
    /// <summary>For what must not come.</summary>
    static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(700);

    public static string Setting(string name) =>
        Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException($"the environment has no {name}");

    public static ServiceBusClient Connect(ServiceBusClientOptions? options = null) =>
        new(Setting("CONNECTION_STRING"), options ?? new());

    public static string NewId(string name) => $"{name}-{Guid.NewGuid():N}";

    public static ServiceBusMessage Text(string body, string? session = null) => new(body) { SessionId = session };

    public static string Body(ServiceBusReceivedMessage message) => message.Body.ToString();

    public static string[] Bodies(IEnumerable<ServiceBusReceivedMessage> messages) => [.. messages.Select(Body)];

    public static async Task Send(this ServiceBusClient client, string entity, params IEnumerable<ServiceBusMessage> messages)
    {
        await using var sender = client.CreateSender(entity);
        foreach (var message in messages) await sender.SendMessageAsync(message);
    }

    public static Task Send(this ServiceBusClient client, string entity, params string[] bodies) =>
        client.Send(entity, bodies.Select(body => Text(body)));

    public static ServiceBusReceiver DeadLetters(this ServiceBusClient client, string queue) =>
        client.CreateReceiver(queue, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });

    /// <summary>Exactly so many messages, however many calls it takes.</summary>
    public static async Task<List<ServiceBusReceivedMessage>> Take(this ServiceBusReceiver receiver, int count)
    {
        List<ServiceBusReceivedMessage> found = [];
        while (found.Count < count)
        {
            var more = await receiver.ReceiveMessagesAsync(count - found.Count, Patience);
            if (more.Count == 0) Expect.Equal($"messages of {receiver.EntityPath}", count, found.Count);
            found.AddRange(more);
        }
        return found;
    }

    public static async Task<ServiceBusReceivedMessage> TakeOne(this ServiceBusReceiver receiver) =>
        (await receiver.Take(1))[0];

    public static async Task Complete(this ServiceBusReceiver receiver, params IEnumerable<ServiceBusReceivedMessage> messages)
    {
        foreach (var message in messages) await receiver.CompleteMessageAsync(message);
    }

    public static async Task ExpectEmpty(this ServiceBusReceiver receiver) =>
        Expect.Equal("messages left", [], Bodies(await receiver.ReceiveMessagesAsync(10, Glance)));

    /// <summary>Empties a queue with its dead letters, and takes what is deferred or scheduled, too.</summary>
    public static async Task Drain(this ServiceBusClient client, string queue)
    {
        await client.Delete(queue, SubQueue.None);
        await client.Delete(queue, SubQueue.DeadLetter);
        await using var sender = client.CreateSender(queue);
        await using var receiver = client.CreateReceiver(queue);
        foreach (var message in await receiver.PeekMessagesAsync(100))
        {
            if (message.State == ServiceBusMessageState.Scheduled) await sender.CancelScheduledMessageAsync(message.SequenceNumber);
            else if (message.State == ServiceBusMessageState.Deferred)
                await receiver.Complete(await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber));
        }
    }

    static async Task Delete(this ServiceBusClient client, string queue, SubQueue subQueue)
    {
        var options = new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete, SubQueue = subQueue };
        await using var receiver = client.CreateReceiver(queue, options);
        while ((await receiver.ReceiveMessagesAsync(100, Glance / 2)).Count > 0) { }
    }
}
