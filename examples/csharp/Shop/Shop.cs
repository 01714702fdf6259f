using System.Text.Json;
using Azure.Messaging.ServiceBus;

public record Order(int? Id, bool Paid);

public record Event(int Id);

public record Step(string Customer, string Text);

/// <summary>A small shop on Azure Service Bus.</summary>
public class Shop(ServiceBusClient client)
{
    // region: place
    /// <summary>Puts orders into the queue, each as JSON: an id, and whether it is paid.</summary>
    public async Task PlaceOrders(params Order[] orders)
    {
        await using var sender = client.CreateSender("orders");
        await sender.SendMessagesAsync(orders.Select(order =>
            new ServiceBusMessage(ToJson(order)) { ContentType = "application/json" }));
    }
    // endregion

    static BinaryData ToJson<T>(T value) => new(value, JsonSerializerOptions.Web);

    static T FromJson<T>(BinaryData json) => json.ToObjectFromJson<T>(JsonSerializerOptions.Web)!;

    // region: receive
    /// <summary>Waits for the next message.</summary>
    static async Task<ServiceBusReceivedMessage> Receive(ServiceBusReceiver receiver) =>
        await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(10))
        ?? throw new TimeoutException($"{receiver.EntityPath}: no message has come in 10 seconds");
    // endregion

    // region: process
    /// <summary>Makes an event of each order. One without an id becomes a dead letter.</summary>
    public async Task ProcessOrders(int count)
    {
        await using var receiver = client.CreateReceiver("orders");
        await using var sender = client.CreateSender("order-events");
        for (var taken = 0; taken < count; taken++)
        {
            var message = await Receive(receiver);
            var order = FromJson<Order>(message.Body);
            if (order.Id is not int id)
            {
                await receiver.DeadLetterMessageAsync(message, "unreadable", "the order has no id");
                Console.WriteLine("an order is dead-lettered");
                continue;
            }
            await sender.SendMessageAsync(new ServiceBusMessage(ToJson(new Event(id)))
            {
                Subject = order.Paid ? "paid" : "unpaid",
            });
            await receiver.CompleteMessageAsync(message);
            Console.WriteLine($"order {id} is processed");
        }
    }
    // endregion

    // region: mend
    /// <summary>Looks at a dead letter, and places its order again, now with an id.</summary>
    public async Task MendOrder(int id)
    {
        await using var receiver = client.CreateReceiver(
            "orders", new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
        var message = await Receive(receiver);
        Console.WriteLine($"dead letter: {message.DeadLetterReason}, {message.DeadLetterErrorDescription}");
        await PlaceOrders(FromJson<Order>(message.Body) with { Id = id });
        await receiver.CompleteMessageAsync(message);
        Console.WriteLine($"order {id} is placed again");
    }
    // endregion

    // region: events
    /// <summary>Takes events from a subscription.</summary>
    public async Task<List<string>> ReadEvents(string subscription, int count)
    {
        await using var receiver = client.CreateReceiver("order-events", subscription);
        var events = new List<string>();
        while (events.Count < count)
        {
            var message = await Receive(receiver);
            events.Add($"order {FromJson<Event>(message.Body).Id} is {message.Subject}");
            await receiver.CompleteMessageAsync(message);
        }
        return events;
    }
    // endregion

    // region: session
    /// <summary>Sends each step into the session of its customer.</summary>
    public async Task SendSteps(params Step[] steps)
    {
        await using var sender = client.CreateSender("customers");
        await sender.SendMessagesAsync(steps.Select(step =>
            new ServiceBusMessage(step.Text) { SessionId = step.Customer }));
    }

    /// <summary>Takes the steps of one customer. Nobody else gets any of them meanwhile.</summary>
    public async Task<List<string>> ServeCustomer(string customer, int count)
    {
        await using var receiver = await client.AcceptSessionAsync("customers", customer);
        var steps = new List<string>();
        while (steps.Count < count)
        {
            var message = await Receive(receiver);
            steps.Add(message.Body.ToString());
            await receiver.CompleteMessageAsync(message);
        }
        return steps;
    }
    // endregion
}
