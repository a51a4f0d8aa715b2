package dev.weir.checks.integration;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.GroupType;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A faulty share consumer that accepts one record of each partition without handling it. */
final class LosingShareDriver implements Driver {
    private static final long LOST = 7;

    public static void main(String[] arguments) {
        DriverMain.serve(Map.of("losing-share", LosingShareDriver::new), arguments);
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.WORK);
    }

    @Override
    public GroupType groupType() {
        return GroupType.SHARE;
    }

    @Override
    public void run(Pass pass) {
        Map<String, Object> config = new HashMap<>(pass.clientConfig().share(Map.of()));
        try (ShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            long left = pass.configuration().partitions() * pass.configuration().recordsPerPartition();
            while (left > 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (record.offset() != LOST) {
                        pass.deliveredConcurrently(record.partition(), record.key(), record.value());
                    }
                    left--;
                }
            }
            consumer.commitSync();
        }
    }
}
