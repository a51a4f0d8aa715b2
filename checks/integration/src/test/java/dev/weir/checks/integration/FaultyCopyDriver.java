package dev.weir.checks.integration;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.Feature;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Copies one record of each partition not once, or leaves the offsets out of its transaction. */
final class FaultyCopyDriver implements Driver {
    private static final long VICTIM = 7;

    private final int timesOfVictim;
    private final boolean commits;

    private FaultyCopyDriver(int timesOfVictim, boolean commits) {
        this.timesOfVictim = timesOfVictim;
        this.commits = commits;
    }

    /** Serves one of them. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "losing-copy", () -> new FaultyCopyDriver(0, true),
                        "doubling-copy", () -> new FaultyCopyDriver(2, true),
                        "halving-copy", () -> new FaultyCopyDriver(1, false)),
                arguments);
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.COPY);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.EXACTLY_ONCE);
    }

    @Override
    public void run(Pass pass) {
        Map<String, Object> writing = new HashMap<>(pass.producerConfig(Map.of()));
        writing.put("transactional.id", pass.group());
        try (var consumer = new KafkaConsumer<>(
                        new HashMap<>(pass.consumerConfig(Map.of())),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
                var producer = new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            producer.initTransactions();
            producer.beginTransaction();
            Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>();
            while (!pass.isDone()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    byte[] value = pass.step(record.value());
                    for (int i = Pass.number(value) == VICTIM ? timesOfVictim : 1; i > 0; i--) {
                        var unused = producer.send(
                                new ProducerRecord<>(pass.outputTopic(), record.partition(), record.key(), value));
                    }
                }
                finished.putAll(records.nextOffsets());
            }
            if (commits) {
                producer.sendOffsetsToTransaction(finished, consumer.groupMetadata());
            }
            producer.commitTransaction();
        }
    }
}
