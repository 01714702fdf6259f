// Sending and what arrives: contents, batches, schedules, peeking, duplicates, time to live, and messages sent again.

using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using static Scenarios.Bus;

namespace Scenarios;

static class Messages
{
    public static readonly Dictionary<string, Func<Task>> Scenarios = new()
    {
        ["send-receive"] = SendReceive,
        ["batch"] = Batch,
        ["receive-and-delete"] = ReceiveAndDelete,
        ["peek"] = Peek,
        ["schedule-cancel"] = ScheduleCancel,
        ["scheduled-arrives"] = ScheduledArrives,
        ["duplicate"] = Duplicate,
        ["time-to-live"] = TimeToLive,
        ["send-back"] = SendBack,
    };

    /// <summary>One of each type that the library sends.</summary>
    static readonly Dictionary<string, object?> Properties = new()
    {
        ["text"] = "grün", ["letter"] = 'ä', ["yes"] = true, ["no"] = false, ["null"] = null,
        ["sbyte"] = (sbyte)-8, ["short"] = (short)-16, ["int"] = -32, ["long"] = 1L << 40,
        ["byte"] = (byte)8, ["ushort"] = (ushort)16, ["uint"] = 32u, ["ulong"] = 1ul << 63,
        ["float"] = 1.5f, ["double"] = 2.5, ["decimal"] = 12.345m,
        ["guid"] = new Guid("6f5f9a63-3c1a-4b49-a9a8-3f4c9d5e0b11"), ["uri"] = new Uri("https://example.com/a?b=c"),
        ["time"] = new DateTime(2026, 1, 2, 3, 4, 5, 600, DateTimeKind.Utc),
        ["zoned"] = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(2)),
        ["span"] = TimeSpan.FromMilliseconds(90_500),
    };

    static async Task SendReceive()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        var sent = new ServiceBusMessage(new byte[] { 0, 1, 0xff })
        {
            MessageId = NewId("content"), ContentType = "application/octet-stream", CorrelationId = "correlated",
            Subject = "greeting", To = "someone", ReplyTo = "answers", ReplyToSessionId = "back",
            SessionId = "s1", PartitionKey = "s1", TimeToLive = TimeSpan.FromHours(2),
        };
        foreach (var (name, value) in Properties) sent.ApplicationProperties.Add(name, value);
        await client.Send(Plain, sent);
        await using var receiver = client.CreateReceiver(Plain);
        var received = await receiver.TakeOne();
        await receiver.Complete(received);
        Expect.Equal("body", sent.Body.ToArray(), received.Body.ToArray());
        foreach (var (name, value) in Properties) Expect.Equal(name, value, received.ApplicationProperties[name]);
        Expect.Equal("properties", Properties.Count, received.ApplicationProperties.Count);
        Expect.Equal("header fields",
            (sent.MessageId, sent.ContentType, sent.CorrelationId, sent.Subject, sent.To),
            (received.MessageId, received.ContentType, received.CorrelationId, received.Subject, received.To));
        Expect.Equal("addresses",
            (sent.ReplyTo, sent.ReplyToSessionId, sent.SessionId, sent.PartitionKey, sent.TimeToLive),
            (received.ReplyTo, received.ReplyToSessionId, received.SessionId, received.PartitionKey, received.TimeToLive));
        Expect.Equal("delivery count", 1, received.DeliveryCount);
        Expect.Equal("state", ServiceBusMessageState.Active, received.State);
        Expect.Equal("expires", received.EnqueuedTime + sent.TimeToLive, received.ExpiresAt);
        Expect.True("there is a lock token", received.LockToken != Guid.Empty.ToString());
        await AnnotatedBodies(client, receiver);
    }

    /// <summary>Other kinds of body, with every section that a sender may write.</summary>
    static async Task AnnotatedBodies(ServiceBusClient client, ServiceBusReceiver receiver)
    {
        await using var sender = client.CreateSender(Plain);
        AmqpMessageBody[] bodies =
        [
            AmqpMessageBody.FromValue(new Dictionary<string, object> { ["key"] = new List<object> { 1L, "two" } }),
            AmqpMessageBody.FromSequence([[1L, 2L], ["three"]]),
            AmqpMessageBody.FromData([new byte[] { 1 }, new byte[] { 2, 3 }]),
        ];
        foreach (var body in bodies)
        {
            var sent = new ServiceBusMessage(new AmqpAnnotatedMessage(body));
            var raw = sent.GetRawAmqpMessage();
            raw.MessageAnnotations["x-own"] = "annotated";
            raw.DeliveryAnnotations["x-way"] = "delivered";
            raw.Footer["x-foot"] = "last";
            raw.Header.Priority = 7;
            await sender.SendMessageAsync(sent);
            var received = await receiver.TakeOne();
            await receiver.Complete(received);
            var seen = received.GetRawAmqpMessage();
            Expect.Equal("body", Parts(body), Parts(seen.Body));
            Expect.Equal("annotation", "annotated", seen.MessageAnnotations["x-own"]);
            Expect.Equal("delivery annotation", "delivered", seen.DeliveryAnnotations["x-way"]);
            Expect.Equal("footer", "last", seen.Footer["x-foot"]);
            Expect.Equal("priority", (byte)7, seen.Header.Priority);
        }
    }

    static object? Parts(AmqpMessageBody body)
    {
        if (body.TryGetData(out var data) && data is not null) return data.Select(part => part.ToArray());
        return body.TryGetSequence(out var sequence) ? sequence : body.TryGetValue(out var value) ? value : null;
    }

    static async Task Batch()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await using var sender = client.CreateSender(Plain);
        using var batch = await sender.CreateMessageBatchAsync();
        string[] expected = [.. Enumerable.Range(0, 20).Select(number => $"message {number}")];
        foreach (var body in expected) Expect.True($"{body} fits", batch.TryAddMessage(Text(body)));
        Expect.Equal("a message of 300 KiB fits", false, batch.TryAddMessage(new ServiceBusMessage(new byte[300 * 1024])));
        await sender.SendMessagesAsync(batch);
        await using var receiver = client.CreateReceiver(Plain);
        var received = await receiver.Take(20);
        Expect.Equal("bodies in order", expected, Bodies(received));
        await receiver.Complete(received);
    }

    static async Task ReceiveAndDelete()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "one", "two");
        var deleting = new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete };
        await using (var receiver = client.CreateReceiver(Plain, deleting))
        {
            var received = await receiver.Take(2);
            Expect.Equal("bodies", ["one", "two"], Bodies(received));
            Expect.Equal("lock token", Guid.Empty.ToString(), received[0].LockToken);
        }
        await using var other = client.CreateReceiver(Plain);
        await other.ExpectEmpty();
    }

    static async Task Peek()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain, "one", "two", "three");
        await using var receiver = client.CreateReceiver(Plain);
        Expect.Equal("peeked", ["one", "two"], Bodies(await receiver.PeekMessagesAsync(2)));
        Expect.Equal("peeked further", ["three"], Bodies(await receiver.PeekMessagesAsync(5)));
        var again = await receiver.PeekMessageAsync(fromSequenceNumber: 0);
        Expect.Equal("peeked from a number on", "one", Body(again));
        Expect.Equal("state", ServiceBusMessageState.Active, again.State);
        Expect.Equal("locked until", default, again.LockedUntil);
        var received = await receiver.Take(3);
        Expect.Equal("delivery count", 1, received[0].DeliveryCount);
        await receiver.Complete(received);
    }

    static async Task ScheduleCancel()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await using var sender = client.CreateSender(Plain);
        await using var receiver = client.CreateReceiver(Plain);
        var numbers = await sender.ScheduleMessagesAsync([Text("stays"), Text("goes")], DateTimeOffset.UtcNow.AddSeconds(2));
        var peeked = await receiver.PeekMessagesAsync(5);
        Expect.Equal("scheduled", ["stays", "goes"], Bodies(peeked));
        Expect.Equal("numbers", numbers, [.. peeked.Select(message => message.SequenceNumber)]);
        Expect.Equal("state", ServiceBusMessageState.Scheduled, peeked[0].State);
        await sender.CancelScheduledMessageAsync(numbers[1]);
        var received = await receiver.TakeOne();
        Expect.Equal("body", "stays", Body(received));
        await receiver.Complete(received);
        await receiver.ExpectEmpty();
    }

    static async Task ScheduledArrives()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        var due = DateTimeOffset.FromUnixTimeMilliseconds(DateTimeOffset.UtcNow.AddSeconds(2).ToUnixTimeMilliseconds());
        await client.Send(Plain, new ServiceBusMessage("later") { ScheduledEnqueueTime = due });
        await using var receiver = client.CreateReceiver(Plain);
        await receiver.ExpectEmpty();
        var received = await receiver.TakeOne();
        await receiver.Complete(received);
        Expect.Equal("scheduled for", due, received.ScheduledEnqueueTime);
        Expect.True($"it is enqueued when it is due, not at {received.EnqueuedTime:O}", received.EnqueuedTime >= due);
        Expect.Equal("state", ServiceBusMessageState.Scheduled, received.State);
    }

    static async Task Duplicate()
    {
        await using var client = Connect();
        await client.Drain("duplicates");
        var id = NewId("twice");
        ServiceBusMessage Twin(string body) => new(body) { MessageId = id };
        await client.Send("duplicates", Twin("first"), Twin("second"));
        await using var receiver = client.CreateReceiver("duplicates");
        var received = await receiver.TakeOne();
        Expect.Equal("body", "first", Body(received));
        await receiver.Complete(received);
        await client.Send("duplicates", Twin("third"));
        await receiver.ExpectEmpty();
    }

    static async Task TimeToLive()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await client.Send(Plain,
            new ServiceBusMessage("gone") { TimeToLive = TimeSpan.FromSeconds(1) },
            new ServiceBusMessage("stays") { TimeToLive = TimeSpan.FromHours(1) });
        await Task.Delay(1_500);
        await using var receiver = client.CreateReceiver(Plain);
        var received = await receiver.TakeOne();
        Expect.Equal("body", "stays", Body(received));
        await receiver.Complete(received);
        await receiver.ExpectEmpty();
        Expect.Equal("dead letters", [], Bodies(await client.DeadLetters(Plain).PeekMessagesAsync(10)));
    }

    static async Task SendBack()
    {
        await using var client = Connect();
        await client.Drain(Plain);
        await using var sender = client.CreateSender(Plain);
        await using var receiver = client.CreateReceiver(Plain);
        var message = new ServiceBusMessage("again") { PartitionKey = "p1", ApplicationProperties = { ["round"] = 1 } };
        await sender.SendMessageAsync(message);
        var first = await receiver.TakeOne();
        await sender.SendMessageAsync(new ServiceBusMessage(first));
        await receiver.Complete(first);
        var second = await receiver.TakeOne();
        // With all annotations, those of the broker too.
        await sender.SendMessageAsync(new ServiceBusMessage(second.GetRawAmqpMessage()));
        await receiver.Complete(second);
        var third = await receiver.TakeOne();
        foreach (var received in new[] { second, third })
        {
            Expect.Equal("body", "again", Body(received));
            Expect.Equal("partition key", "p1", received.PartitionKey);
            Expect.Equal("property", 1, received.ApplicationProperties["round"]);
        }
        ServiceBusReceivedMessage[] all = [first, second, third];
        Expect.Equal("numbers", 3, all.Select(received => received.SequenceNumber).Distinct().Count());
        Expect.Equal("lock tokens", 3, all.Select(received => received.LockToken).Distinct().Count());
        await receiver.Complete(third);
    }
}
