from azure.servicebus import ServiceBusSubQueue

from shop import mend_order, place_orders, process_orders, read_events, send_steps, serve_customer


def dead_letters(client):
    with client.get_queue_receiver("orders", sub_queue=ServiceBusSubQueue.DEAD_LETTER) as receiver:
        return [
            (dead.dead_letter_reason, dead.dead_letter_error_description)
            for dead in receiver.peek_messages(10)
        ]


# region: test
def test_all_events_reach_audit_and_those_of_paid_orders_reach_mail(servicebus):
    place_orders(servicebus, [{"id": 1, "paid": True}, {"id": 2, "paid": False}, {"id": 3, "paid": True}])
    process_orders(servicebus, 3)
    events = ["order 1 is paid", "order 2 is unpaid", "order 3 is paid"]
    assert read_events(servicebus, "audit", 3) == events
    assert read_events(servicebus, "mail", 2) == ["order 1 is paid", "order 3 is paid"]


# endregion


# region: dead-letter test
def test_an_order_without_an_id_is_dead_lettered_mended_and_processed(servicebus):
    place_orders(servicebus, [{"paid": True}])
    process_orders(servicebus, 1)
    assert dead_letters(servicebus) == [("unreadable", "the order has no id")]

    mend_order(servicebus, 3)
    assert dead_letters(servicebus) == []
    process_orders(servicebus, 1)
    assert read_events(servicebus, "mail", 1) == ["order 3 is paid"]


# endregion


def test_the_steps_of_a_customer_come_in_order(servicebus):
    send_steps(
        servicebus, [("anna", "registers"), ("ben", "registers"), ("anna", "orders"), ("anna", "pays")]
    )
    assert serve_customer(servicebus, "anna", 3) == ["registers", "orders", "pays"]
    assert serve_customer(servicebus, "ben", 1) == ["registers"]
