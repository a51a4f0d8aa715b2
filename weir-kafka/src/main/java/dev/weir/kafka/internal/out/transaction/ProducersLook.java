package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProducerHandle.Snapshot;
import dev.weir.kafka.internal.meters.ProducerLook;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;

/**
 * Combines the metrics of an exactly-once run's two producers. Adds up memory, blocked time and throttled time. Returns
 * the longer queue time and request time. Stateless.
 */
final class ProducersLook {

    private ProducersLook() {}

    /** Returns the current values of both producers. May be called from any thread. */
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

    /** Combines a metric of both producers. Ignores a producer that has sent nothing yet and does not report it. */
    private static double both(List<Snapshot> open, ToDoubleFunction<Snapshot> of, DoubleBinaryOperator combined) {
        return open.stream()
                .mapToDouble(of)
                .filter(value -> !Double.isNaN(value))
                .reduce(combined)
                .orElse(Double.NaN);
    }
}
