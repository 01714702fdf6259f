// Makes the calls of KEDA's scaler, each with its SDK's version: counts of a queue, of a subscription, and of all queues.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
)

func main() {
	ctx := context.Background()
	client, err := admin.NewClientFromConnectionString(os.Getenv("SERVICEBUS_CONNECTION_STRING"), nil)
	check(err)
	queue, err := client.GetQueueRuntimeProperties(ctx, "counted", nil)
	check(err)
	subscription, err := client.GetSubscriptionRuntimeProperties(ctx, "fixed", "app", nil)
	check(err)
	var names []string
	for pager := client.NewListQueuesRuntimePropertiesPager(nil); pager.More(); {
		page, err := pager.NextPage(ctx)
		check(err)
		for _, one := range page.QueueRuntimeProperties {
			names = append(names, one.QueueName)
		}
	}
	fmt.Println(queue.ActiveMessageCount, subscription.ActiveMessageCount, len(names) > 0)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
