using Azure.Messaging.ServiceBus;
using Xunit;
using Xunit.Abstractions;

public class ShopTest(ITestOutputHelper output) : JitneyTest(output)
{
    Shop Shop => new(Client);

    // region: test
    [Fact]
    public async Task AllEventsReachAuditAndThoseOfPaidOrdersReachMail()
    {
        await Shop.PlaceOrders(new Order(1, true), new Order(2, false), new Order(3, true));
        await Shop.ProcessOrders(3);
        string[] events = ["order 1 is paid", "order 2 is unpaid", "order 3 is paid"];
        Assert.Equal(events, await Shop.ReadEvents("audit", 3));
        Assert.Equal(["order 1 is paid", "order 3 is paid"], await Shop.ReadEvents("mail", 2));
    }
    // endregion

    // region: dead-letter test
    [Fact]
    public async Task AnOrderWithoutAnIdIsDeadLetteredMendedAndProcessed()
    {
        await Shop.PlaceOrders(new Order(null, true));
        await Shop.ProcessOrders(1);
        Assert.Equal(["unreadable, the order has no id"], await DeadLetters());

        await Shop.MendOrder(3);
        Assert.Empty(await DeadLetters());
        await Shop.ProcessOrders(1);
        Assert.Equal(["order 3 is paid"], await Shop.ReadEvents("mail", 1));
    }
    // endregion

    [Fact]
    public async Task TheStepsOfACustomerComeInOrder()
    {
        await Shop.SendSteps(new("anna", "registers"), new("ben", "registers"), new("anna", "orders"), new("anna", "pays"));
        Assert.Equal(["registers", "orders", "pays"], await Shop.ServeCustomer("anna", 3));
        Assert.Equal(["registers"], await Shop.ServeCustomer("ben", 1));
    }

    async Task<IEnumerable<string>> DeadLetters()
    {
        await using var receiver = Client.CreateReceiver(
            "orders", new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
        var messages = await receiver.PeekMessagesAsync(10);
        return messages.Select(dead => $"{dead.DeadLetterReason}, {dead.DeadLetterErrorDescription}");
    }
}
