package dev.weir.checks.integration;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A faulty driver: reads each record once but never commits, which makes it faster. */
final class ForgetfulDriver implements Driver {

    private ForgetfulDriver() {}

    public static void main(String[] arguments) {
        DriverMain.serve(Map.of("forgetful", ForgetfulDriver::new), arguments);
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.AT_LEAST_ONCE);
    }

    @Override
    public void run(Pass pass) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                new HashMap<String, Object>(pass.clientConfig().consumer(Map.of())),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            while (!pass.isDone()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    pass.delivered(record.partition(), record.value());
                }
            }
        }
    }
}
