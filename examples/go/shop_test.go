package main

import (
	"context"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

// region: test

func TestAllEventsReachAuditAndThoseOfPaidOrdersReachMail(t *testing.T) {
	t.Parallel()
	client, ctx := connect(t, connectionString(t)), t.Context()
	check(t, placeOrders(ctx, client, order{ID: 1, Paid: true}, order{ID: 2}, order{ID: 3, Paid: true}))
	check(t, processOrders(ctx, client, 3))
	expectEvents(t, client, "audit", "order 1 is paid", "order 2 is unpaid", "order 3 is paid")
	expectEvents(t, client, "mail", "order 1 is paid", "order 3 is paid")
}

// endregion

// region: dead-letter test

func TestAnOrderWithoutAnIdIsDeadLetteredMendedAndProcessed(t *testing.T) {
	t.Parallel()
	client, ctx := connect(t, connectionString(t)), t.Context()
	check(t, placeOrders(ctx, client, order{Paid: true}))
	check(t, processOrders(ctx, client, 1))
	expectDeadLetters(t, client, "unreadable, the order has no id")

	check(t, mendOrder(ctx, client, 3))
	expectDeadLetters(t, client)
	check(t, processOrders(ctx, client, 1))
	expectEvents(t, client, "mail", "order 3 is paid")
}

// endregion

func TestTheStepsOfACustomerComeInOrder(t *testing.T) {
	t.Parallel()
	client, ctx := connect(t, connectionString(t)), t.Context()
	check(t, sendSteps(ctx, client, step{"anna", "registers"}, step{"ben", "registers"}, step{"anna", "orders"}, step{"anna", "pays"}))
	steps, err := serveCustomer(ctx, client, "anna", 3)
	check(t, err)
	expect(t, steps, "registers", "orders", "pays")
	steps, err = serveCustomer(ctx, client, "ben", 1)
	check(t, err)
	expect(t, steps, "registers")
}

func expectEvents(t *testing.T, client *azservicebus.Client, subscription string, expected ...string) {
	t.Helper()
	events, err := readEvents(t.Context(), client, subscription, len(expected))
	check(t, err)
	expect(t, events, expected...)
}

func expectDeadLetters(t *testing.T, client *azservicebus.Client, expected ...string) {
	t.Helper()
	options := &azservicebus.ReceiverOptions{SubQueue: azservicebus.SubQueueDeadLetter}
	receiver, err := client.NewReceiverForQueue("orders", options)
	check(t, err)
	defer receiver.Close(context.Background())
	messages, err := receiver.PeekMessages(t.Context(), 10, nil)
	check(t, err)
	var reasons []string
	for _, message := range messages {
		reasons = append(reasons, *message.DeadLetterReason+", "+*message.DeadLetterErrorDescription)
	}
	expect(t, reasons, expected...)
}

func expect(t *testing.T, actual []string, expected ...string) {
	t.Helper()
	if !slices.Equal(actual, expected) {
		t.Fatalf("expected %q, saw %q", expected, actual)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
