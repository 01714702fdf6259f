using Azure.Messaging.ServiceBus;
using Xunit;
using Xunit.Abstractions;

public class MailTest(ITestOutputHelper output) : JitneyTest(output)
{
    [Fact]
    public async Task MailGetsTheEventsOfPaidOrders()
    {
        var sender = Client.CreateSender("order-events");
        await sender.SendMessageAsync(new ServiceBusMessage("order 1") { Subject = "unpaid" });
        await sender.SendMessageAsync(new ServiceBusMessage("order 2") { Subject = "paid" });

        var receiver = Client.CreateReceiver("order-events", "mail");
        var message = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(10));
        Assert.NotNull(message);
        await receiver.CompleteMessageAsync(message);
        Assert.Equal("order 2", message.Body.ToString());
    }
}
