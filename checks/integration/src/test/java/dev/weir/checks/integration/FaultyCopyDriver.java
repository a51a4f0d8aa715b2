package dev.weir.checks.integration;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.Feature;
import dev.weir.driver.Pass;
import dev.weir.driver.RecordLayout;
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

/** Copies with one {@link Fault}, in a single transaction for each pass. */
final class FaultyCopyDriver implements Driver {
    private static final long VICTIM = 7;

    private final Fault fault;

    private FaultyCopyDriver(Fault fault) {
        this.fault = fault;
    }

    private enum Fault {
        /** One record of each partition is not written. */
        LOSING,
        /** One record of each partition is written twice. */
        DOUBLING,
        /** The offsets are not committed in the transaction. */
        HALVING,
        /** There is no transaction. */
        WITHOUT_TRANSACTIONS,
        /** Not a fault: half of the first records are written and aborted, then all records are written. */
        ABORTING
    }

    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "losing-copy", () -> new FaultyCopyDriver(Fault.LOSING),
                        "doubling-copy", () -> new FaultyCopyDriver(Fault.DOUBLING),
                        "halving-copy", () -> new FaultyCopyDriver(Fault.HALVING),
                        "plain-writing-copy", () -> new FaultyCopyDriver(Fault.WITHOUT_TRANSACTIONS),
                        "aborting-copy", () -> new FaultyCopyDriver(Fault.ABORTING)),
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
        Map<String, Object> writing = new HashMap<>(pass.clientConfig().producer(Map.of()));
        if (fault != Fault.WITHOUT_TRANSACTIONS) {
            writing.put("transactional.id", pass.group());
        }
        try (var consumer = new KafkaConsumer<>(
                        new HashMap<>(pass.clientConfig().consumer(Map.of())),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
                var producer = new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            if (fault != Fault.WITHOUT_TRANSACTIONS) {
                producer.initTransactions();
                producer.beginTransaction();
            }
            boolean aborts = fault == Fault.ABORTING;
            Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>();
            while (!pass.isDone()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                if (aborts && !records.isEmpty()) {
                    abort(records, producer, pass);
                    aborts = false;
                }
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    byte[] value = pass.step(record.value());
                    for (int i = RecordLayout.number(value) == VICTIM ? timesOfVictim() : 1; i > 0; i--) {
                        send(record, producer, pass);
                    }
                }
                finished.putAll(records.nextOffsets());
            }
            end(finished, consumer, producer);
        }
    }

    private int timesOfVictim() {
        return switch (fault) {
            case LOSING -> 0;
            case DOUBLING -> 2;
            default -> 1;
        };
    }

    private static void send(ConsumerRecord<byte[], byte[]> record, KafkaProducer<byte[], byte[]> producer, Pass pass) {
        var unused = producer.send(
                new ProducerRecord<>(pass.outputTopic(), record.partition(), record.key(), record.value()));
    }

    private static void abort(
            ConsumerRecords<byte[], byte[]> records, KafkaProducer<byte[], byte[]> producer, Pass pass) {
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> some = records.records(partition);
            some.subList(0, Math.ceilDiv(some.size(), 2)).forEach(record -> send(record, producer, pass));
        }
        producer.flush(); // Otherwise nothing would be written before the abort.
        producer.abortTransaction();
        producer.beginTransaction();
    }

    private void end(
            Map<TopicPartition, OffsetAndMetadata> finished,
            KafkaConsumer<byte[], byte[]> consumer,
            KafkaProducer<byte[], byte[]> producer) {
        switch (fault) {
            case WITHOUT_TRANSACTIONS -> {
                producer.flush();
                consumer.commitSync(finished);
            }
            case HALVING -> producer.commitTransaction();
            case LOSING, DOUBLING, ABORTING -> {
                producer.sendOffsetsToTransaction(finished, consumer.groupMetadata());
                producer.commitTransaction();
            }
        }
    }
}
