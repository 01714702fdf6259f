package main

import (
	"context"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

func TestMailGetsTheEventsOfPaidOrders(t *testing.T) {
	t.Parallel()
	client := connect(t, connectionString(t))
	sender, err := client.NewSender("order-events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"unpaid", "paid"} {
		event := &azservicebus.Message{Body: []byte("an order"), Subject: to.Ptr(subject)}
		if err := sender.SendMessage(t.Context(), event, nil); err != nil {
			t.Fatal(err)
		}
	}
	receiver, err := client.NewReceiverForSubscription("order-events", "mail", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	events, err := receiver.ReceiveMessages(ctx, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 || *events[0].Subject != "paid" {
		t.Fatalf("expected the event of the paid order, saw %d events", len(events))
	}
	if err := receiver.CompleteMessage(t.Context(), events[0], nil); err != nil {
		t.Error(err)
	}
}
