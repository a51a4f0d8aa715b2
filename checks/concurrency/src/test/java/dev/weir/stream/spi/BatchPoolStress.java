package dev.weir.stream.spi;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A source fills a batch while the downstream thread releases earlier batches. The source never gets an array in use,
 * and batches keep their content.
 */
@JCStressTest
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "both batches read what was put into them, and no more")
@Outcome(expect = Expect.FORBIDDEN, desc = "two batches have the same array, or the old elements show")
@State
public class BatchPoolStress {

    private final BatchPool pool = new BatchPool(2);
    private final Batch<Integer> inFlight = inFlight();
    private final Batch<Integer> inFlightToo = inFlight();

    private Batch<Integer> first = inFlight;
    private Batch<Integer> second = inFlight;
    private int leftOver;

    /** Returns a batch that another thread has taken, as far as the pool knows. */
    private Batch<Integer> inFlight() {
        Batch<Integer> batch = new Batch<>();
        batch.equip(new Object[2], Batch.NO_TOKENS, pool, CollectionEpoch.current());
        batch.add(7);
        batch.add(8);
        return batch;
    }

    /** The source's thread owns the pool. It also releases a batch and takes it again. */
    @Actor
    public void source() {
        Batch<Integer> own = pool.take();
        leftOver += countOf(own);
        own.add(9);
        own.release();
        first = pool.take();
        leftOver += countOf(first);
        first.add(1);
        second = pool.take();
        leftOver += countOf(second);
        second.add(2);
    }

    /** The downstream thread releases one of its batches twice. */
    @Actor
    public void sink() {
        inFlight.release();
        inFlight.release();
        inFlightToo.release();
    }

    @Arbiter
    public void arbiter(III_Result result) {
        result.r1 = first.get(0);
        result.r2 = second.get(0);
        result.r3 = leftOver;
    }

    /** Returns the number of leftover values behind the batch's own elements. */
    @SuppressWarnings("NullAway") // beyond its size a batch holds nulls
    private static int countOf(Batch<Integer> batch) {
        return (batch.get(0) == null ? 0 : 1) + (batch.get(1) == null ? 0 : 1);
    }

    /** Faulty: a plain stack in which 0 means empty. A release during a take breaks it. */
    @JCStressTest
    @Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "both arrays hold what was put into them, and no more")
    @Outcome(expect = Expect.FORBIDDEN, desc = "two batches have the same array, or the old elements show")
    @State
    public static class Broken {

        private final int[][] spares = new int[8][0];
        private int count;
        private int[] first = {7, 8};
        private int[] second = {7, 8};
        private final int[] inFlight = first;
        private final int[] inFlightToo = second;
        private int leftOver;

        private int[] take() {
            return count > 0 && spares[count - 1].length > 0 ? spares[--count] : new int[2];
        }

        private void release(int[] array) {
            spares[count++] = array;
            array[0] = 0;
            array[1] = 0;
        }

        private static int countOf(int[] array) {
            return (array[0] == 0 ? 0 : 1) + (array[1] == 0 ? 0 : 1);
        }

        @Actor
        public void source() {
            first = take();
            leftOver += countOf(first);
            first[0] = 1;
            second = take();
            leftOver += countOf(second);
            second[0] = 2;
        }

        @Actor
        public void sink() {
            release(inFlight);
            release(inFlight);
            release(inFlightToo);
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r1 = first[0];
            result.r2 = second[0];
            result.r3 = leftOver;
        }
    }
}
