package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Not a library under test but what sends to one: each record when the plan says, with that time in its value, whatever
 * became of the ones before. Number 0 of each partition is there already. Confined to the main thread; callbacks come on the client's.
 */
final class Generator implements Driver {
    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        int partitions = pass.configuration().partitions();
        String topic = pass.configuration().topic();
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                new HashMap<>(pass.producerConfig(Map.of())), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.partitionsFor(topic); // Connects before the first record is due.
            SendPlan plan = pass.plan();
            for (long i = 0; i < pass.wanted(); i++) {
                long due = plan.awaitNext(pass::isDone);
                if (due == SendPlan.NEVER) {
                    break;
                }
                int partition = (int) (i % partitions);
                byte[] value = pass.value(1 + i / partitions, due);
                pass.wasDue(partition, due);
                var unused = producer.send(new ProducerRecord<>(topic, partition, null, value), (written, failure) -> {
                    if (failure == null) {
                        pass.acknowledged(value.length);
                    } else {
                        pass.fail(failure);
                    }
                });
            }
            producer.flush();
            pass.awaitDone();
        }
    }
}
