package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.KeySpread;
import dev.weir.driver.PartitionSpread;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.TopicSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends records to a library under test at their planned times. Each value contains its planned time. Record number 0
 * of each partition exists already. Confined to the main thread; callbacks run on the client's thread.
 */
final class Generator implements Driver {
    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        int partitions = pass.configuration().partitions();
        int count = Integer.parseInt(pass.configuration().options().getOrDefault(SendPlan.PRODUCERS, "1"));
        List<Producer<byte[], byte[]>> producers = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                producers.add(new KafkaProducer<>(
                        new HashMap<>(pass.clientConfig().producer(Map.of())),
                        new ByteArraySerializer(),
                        new ByteArraySerializer()));
            }
            producers.forEach(producer ->
                    // Fetching the metadata connects the producers before the first record is due.
                    pass.topics().names().forEach(producer::partitionsFor));
            send(pass, partitions, producers);
            producers.forEach(Producer::flush);
            pass.awaitDone();
        } finally {
            producers.forEach(Producer::close);
        }
    }

    private static void send(Pass pass, int partitions, List<Producer<byte[], byte[]>> producers) {
        TopicSet topics = pass.topics();
        SendPlan plan = pass.plan();
        Map<String, String> options = pass.configuration().options();
        PartitionSpread spread =
                new PartitionSpread(partitions, Double.parseDouble(options.getOrDefault(SendPlan.PARTITION_SKEW, "0")));
        KeySpread keys = new KeySpread(
                Integer.parseInt(options.getOrDefault(SendPlan.KEYS, "0")),
                Double.parseDouble(options.getOrDefault(SendPlan.KEY_SKEW, "0")));
        long[] numbers = new long[partitions];
        for (long i = 0; i < pass.wanted(); i++) {
            long due = plan.awaitNext(pass::isDone);
            if (due == SendPlan.NEVER) {
                return;
            }
            int partition = spread.next();
            byte[] value = pass.value(++numbers[partition], due, partition);
            pass.wasDue(partition, due);
            var unused = producers
                    .get(partition % producers.size())
                    .send(
                            new ProducerRecord<>(
                                    topics.topic(partition), topics.partition(partition), keys.next(partition), value),
                            (written, failure) -> {
                                if (failure == null) {
                                    acknowledged(pass, value.length, producers.size());
                                } else {
                                    pass.fail(failure);
                                }
                            });
        }
    }

    /**
     * Reports an acknowledged record. Several producers call this on their own threads, so the calls are synchronized.
     */
    private static void acknowledged(Pass pass, int valueBytes, int producers) {
        if (producers == 1) {
            pass.acknowledged(valueBytes);
        } else {
            synchronized (pass) {
                pass.acknowledged(valueBytes);
            }
        }
    }
}
