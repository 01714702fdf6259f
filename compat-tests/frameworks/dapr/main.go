// Publishes through Dapr's own component for Service Bus, and prints what its subscription receives.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/dapr/components-contrib/metadata"
	"github.com/dapr/components-contrib/pubsub"
	"github.com/dapr/components-contrib/pubsub/azure/servicebus/topics"
	"github.com/dapr/kit/logger"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	component := topics.NewAzureServiceBusTopics(logger.NewLogger("jitney"))
	check(component.Init(ctx, pubsub.Metadata{Base: metadata.Base{Properties: map[string]string{
		"connectionString":        os.Getenv("SERVICEBUS_CONNECTION_STRING"),
		"consumerID":              "app",
		"disableEntityManagement": os.Getenv("DISABLE_ENTITY_MANAGEMENT"),
	}}}))

	topic := os.Getenv("TOPIC")
	received := make(chan string, 1)
	handler := func(_ context.Context, message *pubsub.NewMessage) error {
		received <- string(message.Data)
		return nil
	}
	check(component.Subscribe(ctx, pubsub.SubscribeRequest{Topic: topic}, handler))
	check(component.Publish(ctx, &pubsub.PublishRequest{Topic: topic, Data: []byte("hello")}))
	select {
	case text := <-received:
		fmt.Println(text)
	case <-ctx.Done():
		log.Fatal("nothing was received")
	}
	check(component.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
