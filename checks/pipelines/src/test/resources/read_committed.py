"""Reads a topic to its end with read_committed and writes the values to a file, one a line, in the order of each partition."""

import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition


def main(bootstrap_servers: str, topic: str, output: str) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "librdkafka",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    partitions = consumer.list_topics(topic, 30).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in partitions])
    left = set(partitions)
    with open(output, "wb") as numbers:
        while left:
            for message in consumer.consume(10_000, 1.0):
                error = message.error()
                if error is None:
                    numbers.write(message.value() + b"\n")
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                else:
                    raise RuntimeError(str(error))
    consumer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
