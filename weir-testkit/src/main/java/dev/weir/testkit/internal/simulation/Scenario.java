package dev.weir.testkit.internal.simulation;

import dev.weir.stream.Pipeline;
import dev.weir.testkit.RebalanceSimulation.Delivery;
import dev.weir.testkit.RebalanceSimulation.Event;
import dev.weir.testkit.RebalanceSimulation.Order;
import dev.weir.testkit.RebalanceSimulation.RecordMaker;
import dev.weir.testkit.SimulatedKafka;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The pipeline to simulate, its surroundings, and the guarantees to check. Immutable.
 *
 * @param topics number of partitions by topic name, in the order given by the user
 */
public record Scenario(
        Function<SimulatedKafka, Pipeline> pipeline,
        Map<String, Integer> topics,
        RecordMaker records,
        Order order,
        Delivery delivery,
        Predicate<ConsumerRecord<byte[], byte[]>> ignored,
        Set<Event> events) {

    /** Copies the collections. */
    public Scenario {
        topics = new LinkedHashMap<>(topics);
        events = Set.copyOf(events);
    }

    boolean has(Event event) {
        return events.contains(event);
    }

    boolean isAtMostOnce() {
        return delivery == Delivery.AT_MOST_ONCE;
    }
}
