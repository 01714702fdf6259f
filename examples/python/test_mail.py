from azure.servicebus import ServiceBusMessage


def test_mail_gets_the_events_of_paid_orders(servicebus):
    with servicebus.get_topic_sender("order-events") as sender:
        sender.send_messages(ServiceBusMessage("order 1", subject="unpaid"))
        sender.send_messages(ServiceBusMessage("order 2", subject="paid"))
    with servicebus.get_subscription_receiver("order-events", "mail") as receiver:
        [event] = receiver.receive_messages(max_wait_time=10)
        receiver.complete_message(event)
    assert str(event) == "order 2"
