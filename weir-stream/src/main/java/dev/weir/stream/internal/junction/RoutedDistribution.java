package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * Hands each element to the output whose index a function returns. If the function fails, the preceding elements are
 * handed out first. Confined to the distributing thread.
 */
final class RoutedDistribution<T> implements OutputSelection<T> {

    /** Route of a skipped element. */
    private static final int NOWHERE = -1;

    private final ToIntFunction<? super T> route;
    private final SupervisedCall supervised;

    RoutedDistribution(ToIntFunction<? super T> route, SupervisedCall supervised) {
        this.route = route;
        this.supervised = supervised;
    }

    @Override
    public void handOut(Batch<T> batch, StageOutputs<T> outlets, StageMeter segment) throws InterruptedException {
        int size = batch.size();
        int[] routes = new int[size];
        Arrays.fill(routes, NOWHERE);
        int[] counts = new int[outlets.size()];
        Throwable failure = null;
        int next = 0;
        try {
            for (; next < size; next++) {
                int to = routeOf(batch, next, counts.length);
                routes[next] = to;
                if (to != NOWHERE) {
                    counts[to]++;
                }
            }
        } catch (InterruptedException interrupted) {
            try {
                batch.abandonFrom(next);
            } finally {
                abandonFrom(0, batch, routes, counts);
            }
            throw interrupted;
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            batch.abandonFrom(next);
        }
        int output = 0;
        try {
            for (; output < counts.length; output++) {
                if (counts[output] > 0) {
                    Batch<T> part = counts[output] == size ? batch : part(batch, routes, output, counts[output]);
                    boolean ignored = outlets.give(output, part, segment);
                }
            }
        } catch (InterruptedException interrupted) {
            abandonFrom(output + 1, batch, routes, counts);
            throw interrupted;
        }
        if (failure != null) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    private int routeOf(Batch<T> batch, int index, int outputs) throws InterruptedException {
        try {
            return routeOf(batch.get(index), outputs);
        } catch (Throwable thrown) {
            Integer to = supervised.<T, Integer>orDrop(thrown, element -> routeOf(element, outputs), batch, index);
            return to == null ? NOWHERE : to;
        }
    }

    private int routeOf(T element, int outputs) {
        int to = route.applyAsInt(element);
        if (to < 0 || to >= outputs) {
            throw new IndexOutOfBoundsException(
                    "the function of partition must return 0 to " + (outputs - 1) + ": " + to);
        }
        return to;
    }

    /** Abandons the elements for {@code output} and all later outputs. */
    private static void abandonFrom(int output, Batch<?> batch, int[] routes, int[] counts) {
        EachAcknowledgement.of(
                counts.length - output,
                i -> part(batch, routes, output + i, counts[output + i]).abandonAll());
    }

    private static <T> Batch<T> part(Batch<T> batch, int[] routes, int output, int count) {
        Batch<T> part = new Batch<>(count);
        for (int i = 0; i < routes.length; i++) {
            if (routes[i] == output) {
                part.add(batch.get(i), batch.target(i), batch.token(i));
            }
        }
        return part;
    }
}
