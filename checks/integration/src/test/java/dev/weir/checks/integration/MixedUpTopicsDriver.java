package dev.weir.checks.integration;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.Feature;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A faulty driver that reports the records of all topics as records of the first topic. */
final class MixedUpTopicsDriver implements Driver {

    public static void main(String[] arguments) {
        DriverMain.serve(Map.of("mixed-up", MixedUpTopicsDriver::new), arguments);
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.TOPICS);
    }

    @Override
    public void run(Pass pass) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                new HashMap<String, Object>(pass.clientConfig().consumer(Map.of())),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(pass.topics().names());
            while (!pass.isDone()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    pass.delivered(record.partition(), record.value());
                }
            }
        }
    }
}
