package dev.weir.drivers.asimov;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.examples.asimov.EventGenerator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Fills the topic of events with the same events in each run. It is not a driver under test. Events are spread evenly
 * over the partitions, so an event's offset is its number within its partition. Confined to the main thread; callbacks
 * run on the client's thread.
 */
final class AsimovEvents implements Driver {
    private static final long SEED = 1;
    private static final Map<String, String> PRESET = Map.of("linger.ms", "5", "batch.size", "131072");

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        EventGenerator events = new EventGenerator(SEED);
        int partitions = pass.configuration().partitions();
        String topic = pass.configuration().topic();
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                new HashMap<>(pass.clientConfig().producer(PRESET)),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (long i = 0; i < pass.wanted() && !pass.isDone(); i++) {
                byte[] value = events.value(i);
                var unused = producer.send(
                        new ProducerRecord<>(topic, (int) (i % partitions), events.key(events.session(i)), value),
                        (written, failure) -> {
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
