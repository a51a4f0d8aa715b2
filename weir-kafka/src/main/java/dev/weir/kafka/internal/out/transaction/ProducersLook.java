package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProducerHandle.Snapshot;
import dev.weir.kafka.internal.meters.ProducerLook;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;

/**
 * Reads the two producers of an exactly-once run as one: the sum of their memory, the slower one's times. Stateless.
 */
final class ProducersLook {

    private ProducersLook() {}

    /** The current values of both. Any thread. */
    static <K, V> Snapshot at(TransactionsOfRun<K, V> run, List<TransactionalProducer<K, V>> producers, String stage) {
        List<Snapshot> open = new ArrayList<>();
        for (TransactionalProducer<K, V> producer : producers) {
            ProducerLook meters = producer.client.meters();
            if (meters != null) {
                open.add(meters.at(stage, 0));
            }
        }
        return Snapshot.of(
                        stage,
                        unanswered(run),
                        both(open, Snapshot::bufferBytes, Double::sum),
                        both(open, Snapshot::bufferFreeBytes, Double::sum),
                        open.stream().mapToLong(Snapshot::blockedNanos).sum(),
                        both(open, Snapshot::queueMillis, Math::max),
                        both(open, Snapshot::requestMillis, Math::max))
                .withThrottledNanos(
                        open.stream().mapToLong(Snapshot::throttledNanos).sum());
    }

    private static <K, V> long unanswered(TransactionsOfRun<K, V> run) {
        OpenTransaction<K, V> filling = run.filling();
        TransactionCut<K, V> committing = run.committing();
        return (filling == null ? 0 : filling.unanswered())
                + (committing == null ? 0 : committing.transaction().unanswered());
    }

    /** Sums the producers that report a time; one that has sent nothing reports none. */
    private static double both(List<Snapshot> open, ToDoubleFunction<Snapshot> of, DoubleBinaryOperator combined) {
        return open.stream()
                .mapToDouble(of)
                .filter(value -> !Double.isNaN(value))
                .reduce(combined)
                .orElse(Double.NaN);
    }
}
