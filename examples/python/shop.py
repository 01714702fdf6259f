"""A small shop on Azure Service Bus."""

import json
import os

from azure.servicebus import ServiceBusClient, ServiceBusMessage, ServiceBusSubQueue


# region: place
def place_orders(client, orders):
    """Puts orders into the queue, each as JSON: an id, and whether it is paid."""
    with client.get_queue_sender("orders") as sender:
        sender.send_messages(
            [ServiceBusMessage(json.dumps(order), content_type="application/json") for order in orders]
        )


# endregion


# region: receive
def receive(receiver):
    """Waits for the next message."""
    messages = receiver.receive_messages(max_message_count=1, max_wait_time=10)
    if not messages:
        raise TimeoutError(f"{receiver.entity_path}: no message has come in 10 seconds")
    return messages[0]


# endregion


# region: process
def process_orders(client, count):
    """Makes an event of each order. One without an id becomes a dead letter."""
    with client.get_queue_receiver("orders") as receiver, client.get_topic_sender("order-events") as sender:
        for _ in range(count):
            message = receive(receiver)
            order = json.loads(str(message))
            if "id" not in order:
                receiver.dead_letter_message(
                    message, reason="unreadable", error_description="the order has no id"
                )
                print("an order is dead-lettered")
                continue
            subject = "paid" if order["paid"] else "unpaid"
            sender.send_messages(ServiceBusMessage(json.dumps({"id": order["id"]}), subject=subject))
            receiver.complete_message(message)
            print(f"order {order['id']} is processed")


# endregion


# region: mend
def mend_order(client, order_id):
    """Looks at a dead letter, and places its order again, now with an id."""
    with client.get_queue_receiver("orders", sub_queue=ServiceBusSubQueue.DEAD_LETTER) as receiver:
        message = receive(receiver)
        print(f"dead letter: {message.dead_letter_reason}, {message.dead_letter_error_description}")
        place_orders(client, [{**json.loads(str(message)), "id": order_id}])
        receiver.complete_message(message)
    print(f"order {order_id} is placed again")


# endregion


# region: events
def read_events(client, subscription, count):
    """Takes events from a subscription."""
    events = []
    with client.get_subscription_receiver("order-events", subscription) as receiver:
        while len(events) < count:
            message = receive(receiver)
            events.append(f"order {json.loads(str(message))['id']} is {message.subject}")
            receiver.complete_message(message)
    return events


# endregion


# region: session
def send_steps(client, steps):
    """Sends each step into the session of its customer."""
    with client.get_queue_sender("customers") as sender:
        sender.send_messages([ServiceBusMessage(step, session_id=customer) for customer, step in steps])


def serve_customer(client, customer, count):
    """Takes the steps of one customer. Nobody else gets any of them meanwhile."""
    steps = []
    with client.get_queue_receiver("customers", session_id=customer) as receiver:
        while len(steps) < count:
            message = receive(receiver)
            steps.append(str(message))
            receiver.complete_message(message)
    return steps


# endregion


def main():
    with ServiceBusClient.from_connection_string(os.environ["SERVICEBUS_CONNECTION_STRING"]) as client:
        place_orders(client, [{"id": 1, "paid": True}, {"id": 2, "paid": False}, {"paid": True}])
        process_orders(client, 3)
        mend_order(client, 3)
        process_orders(client, 1)
        for event in read_events(client, "audit", 3):
            print(f"audit: {event}")
        for event in read_events(client, "mail", 2):
            print(f"mail: {event}")
        send_steps(
            client, [("anna", "registers"), ("ben", "registers"), ("anna", "orders"), ("anna", "pays")]
        )
        for step in serve_customer(client, "anna", 3):
            print(f"anna {step}")
        for step in serve_customer(client, "ben", 1):
            print(f"ben {step}")


if __name__ == "__main__":
    main()
