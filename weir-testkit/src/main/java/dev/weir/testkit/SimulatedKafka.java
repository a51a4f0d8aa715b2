package dev.weir.testkit;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The Kafka of a pipeline in a {@link RebalanceSimulation}: an address, and methods with which the pipeline says what
 * it does. Thread-safe; one for each start of the pipeline.
 */
public interface SimulatedKafka {

    /** The address for {@link dev.weir.kafka.ConsumerSettings}. No socket is opened there. */
    String bootstrapServers();

    /**
     * The work on a record: stands for what the handler does to the outside world. Returns when as much simulated time
     * has passed as the seed gives to it; from then on the record counts as done. A pipeline calls it once for each
     * record, where the effect would be, and acknowledges the record no earlier.
     *
     * @param record as it came from the source, its topic, partition, offset and leader epoch unchanged
     * @throws java.util.concurrent.CompletionException if the process has crashed, or the pipeline interrupts the
     *     handler, as the interrupt flag says: nothing was done
     */
    void work(ConsumerRecord<?, ?> record);

    /**
     * {@link #work} for {@code mapAsync}. The stage completes on a thread of the simulation,
     * and not at all after a crash.
     */
    CompletionStage<Void> workAsync(ConsumerRecord<?, ?> record);

    /**
     * Says which record an output is made of, so that the simulation knows when it is written, and in which order. A
     * pipeline that produces calls it for each output; the record is done when the first of its outputs
     * stands in its topic.
     *
     * @param source as it came from the source, its topic, partition, offset and leader epoch unchanged
     * @return the output with a header more
     */
    <K, V> ProducerRecord<K, V> output(ConsumerRecord<?, ?> source, ProducerRecord<K, V> output);

    /** The simulated time: for whatever waits, as {@link dev.weir.kafka.CircuitBreaker#on}. */
    Clock clock();
}
