package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.batch.BatchOutcome;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A batch handler in a process that tests kill. It stops handling records half-way. */
final class BatchProcess {

    private BatchProcess() {}

    /**
     * Takes the brokers, the topic (also the group's name), and the number of records after which it reports and stops
     * handling.
     */
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(Integer.parseInt(args[2]));
        CountDownLatch never = new CountDownLatch(1);
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(args[0])
                .groupId(args[1])
                .property("session.timeout.ms", "6000")
                .commitInterval(Duration.ofMillis(20))
                .build();
        var running = KafkaFlow.from(settings, Subscription.topics(args[1]))
                .handleBatch(20, Duration.ofMillis(20), RecordOrdering.byKey(), batch -> {
                    if (left.getCount() == 0) {
                        never.await();
                    }
                    batch.forEach(record -> left.countDown());
                    return BatchOutcome.allDone(batch);
                })
                .produceTo(
                        BatchHandlerTest.producer(args[0]),
                        record -> new ProducerRecord<>(args[1] + "-out", record.key(), record.value()))
                .run();
        left.await();
        System.out.println("half");
        running.await();
    }
}
