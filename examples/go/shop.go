// A small shop on Azure Service Bus.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

type order struct {
	ID   int  `json:"id,omitempty"`
	Paid bool `json:"paid"`
}

type step struct{ customer, text string }

// region: place

// placeOrders puts orders into the queue, each as JSON: an id, and whether it is paid.
func placeOrders(ctx context.Context, client *azservicebus.Client, orders ...order) error {
	sender, err := client.NewSender("orders", nil)
	if err != nil {
		return err
	}
	defer sender.Close(ctx)
	for _, order := range orders {
		body, err := json.Marshal(order)
		if err != nil {
			return err
		}
		message := &azservicebus.Message{Body: body, ContentType: to.Ptr("application/json")}
		if err := sender.SendMessage(ctx, message, nil); err != nil {
			return err
		}
	}
	return nil
}

// endregion

// region: receive

// receiver is a receiver of a queue, of a subscription or of a session.
type receiver interface {
	ReceiveMessages(context.Context, int, *azservicebus.ReceiveMessagesOptions) ([]*azservicebus.ReceivedMessage, error)
}

// receive waits for the next message.
func receive(ctx context.Context, from receiver, entity string) (*azservicebus.ReceivedMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	messages, err := from.ReceiveMessages(ctx, 1, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: no message has come in 10 seconds: %w", entity, err)
	}
	return messages[0], nil
}

// endregion

// region: process

// processOrders makes an event of each order. One without an id becomes a dead letter.
func processOrders(ctx context.Context, client *azservicebus.Client, count int) error {
	receiver, err := client.NewReceiverForQueue("orders", nil)
	if err != nil {
		return err
	}
	defer receiver.Close(ctx)
	sender, err := client.NewSender("order-events", nil)
	if err != nil {
		return err
	}
	defer sender.Close(ctx)
	for range count {
		message, err := receive(ctx, receiver, "orders")
		if err != nil {
			return err
		}
		var order order
		if err := json.Unmarshal(message.Body, &order); err != nil {
			return err
		}
		if order.ID == 0 {
			reason := &azservicebus.DeadLetterOptions{
				Reason:           to.Ptr("unreadable"),
				ErrorDescription: to.Ptr("the order has no id"),
			}
			if err := receiver.DeadLetterMessage(ctx, message, reason); err != nil {
				return err
			}
			fmt.Println("an order is dead-lettered")
			continue
		}
		subject := "unpaid"
		if order.Paid {
			subject = "paid"
		}
		event := &azservicebus.Message{Body: fmt.Appendf(nil, `{"id":%d}`, order.ID), Subject: &subject}
		if err := sender.SendMessage(ctx, event, nil); err != nil {
			return err
		}
		if err := receiver.CompleteMessage(ctx, message, nil); err != nil {
			return err
		}
		fmt.Printf("order %d is processed\n", order.ID)
	}
	return nil
}

// endregion

// region: mend

// mendOrder looks at a dead letter, and places its order again, now with an id.
func mendOrder(ctx context.Context, client *azservicebus.Client, id int) error {
	options := &azservicebus.ReceiverOptions{SubQueue: azservicebus.SubQueueDeadLetter}
	receiver, err := client.NewReceiverForQueue("orders", options)
	if err != nil {
		return err
	}
	defer receiver.Close(ctx)
	message, err := receive(ctx, receiver, "orders/$DeadLetterQueue")
	if err != nil {
		return err
	}
	fmt.Printf("dead letter: %s, %s\n", *message.DeadLetterReason, *message.DeadLetterErrorDescription)
	var order order
	if err := json.Unmarshal(message.Body, &order); err != nil {
		return err
	}
	order.ID = id
	if err := placeOrders(ctx, client, order); err != nil {
		return err
	}
	if err := receiver.CompleteMessage(ctx, message, nil); err != nil {
		return err
	}
	fmt.Printf("order %d is placed again\n", id)
	return nil
}

// endregion

// region: events

// readEvents takes events from a subscription.
func readEvents(ctx context.Context, client *azservicebus.Client, subscription string, count int) ([]string, error) {
	receiver, err := client.NewReceiverForSubscription("order-events", subscription, nil)
	if err != nil {
		return nil, err
	}
	defer receiver.Close(ctx)
	var events []string
	for len(events) < count {
		message, err := receive(ctx, receiver, "order-events/"+subscription)
		if err != nil {
			return nil, err
		}
		var order order
		if err := json.Unmarshal(message.Body, &order); err != nil {
			return nil, err
		}
		events = append(events, fmt.Sprintf("order %d is %s", order.ID, *message.Subject))
		if err := receiver.CompleteMessage(ctx, message, nil); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// endregion

// region: session

// sendSteps sends each step into the session of its customer.
func sendSteps(ctx context.Context, client *azservicebus.Client, steps ...step) error {
	sender, err := client.NewSender("customers", nil)
	if err != nil {
		return err
	}
	defer sender.Close(ctx)
	for _, step := range steps {
		message := &azservicebus.Message{Body: []byte(step.text), SessionID: &step.customer}
		if err := sender.SendMessage(ctx, message, nil); err != nil {
			return err
		}
	}
	return nil
}

// serveCustomer takes the steps of one customer. Nobody else gets any of them meanwhile.
func serveCustomer(ctx context.Context, client *azservicebus.Client, customer string, count int) ([]string, error) {
	receiver, err := client.AcceptSessionForQueue(ctx, "customers", customer, nil)
	if err != nil {
		return nil, err
	}
	defer receiver.Close(ctx)
	var steps []string
	for len(steps) < count {
		message, err := receive(ctx, receiver, "customers")
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(message.Body))
		if err := receiver.CompleteMessage(ctx, message, nil); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// endregion

func main() {
	ctx := context.Background()
	client := must(azservicebus.NewClientFromConnectionString(os.Getenv("SERVICEBUS_CONNECTION_STRING"), nil))
	defer client.Close(ctx)
	exitOn(placeOrders(ctx, client, order{ID: 1, Paid: true}, order{ID: 2}, order{Paid: true}))
	exitOn(processOrders(ctx, client, 3))
	exitOn(mendOrder(ctx, client, 3))
	exitOn(processOrders(ctx, client, 1))
	for _, event := range must(readEvents(ctx, client, "audit", 3)) {
		fmt.Println("audit:", event)
	}
	for _, event := range must(readEvents(ctx, client, "mail", 2)) {
		fmt.Println("mail:", event)
	}
	exitOn(sendSteps(ctx, client, step{"anna", "registers"}, step{"ben", "registers"}, step{"anna", "orders"}, step{"anna", "pays"}))
	for _, step := range must(serveCustomer(ctx, client, "anna", 3)) {
		fmt.Println("anna", step)
	}
	for _, step := range must(serveCustomer(ctx, client, "ben", 1)) {
		fmt.Println("ben", step)
	}
}

func must[Value any](value Value, err error) Value {
	exitOn(err)
	return value
}

func exitOn(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
