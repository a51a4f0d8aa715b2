package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlerWorkTest {

    /** Regression: the mean of the heavy tail was 0.962, because its distribution is truncated. */
    @ParameterizedTest
    @CsvSource({
        "none, 1, 1",
        "exponential, 0.69, 6.9",
        "bimodal, 0.5, 50.5",
        "heavy-tail, 0.55, 34.7",
        "stragglers, 0.96, 0.961"
    })
    void spread_keepsTheMean_andHasItsShape(String spread, double median, double p999) {
        HandlerWork work = HandlerWork.of(Map.of(HandlerWork.SPREAD, spread));
        double[] factors =
                LongStream.range(0, 200_000).mapToDouble(work::factor).sorted().toArray();
        assertThat(Arrays.stream(factors).average().orElseThrow()).isCloseTo(1, within(0.025));
        assertThat(factors[100_000]).isCloseTo(median, within(0.02));
        assertThat(factors[199_800]).isCloseTo(p999, within(6.0));
        assertThat(work.factor(7))
                .isEqualTo(HandlerWork.of(Map.of(HandlerWork.SPREAD, spread)).factor(7));
    }

    @Test
    void unknownSpread_isRefused() {
        assertThatThrownBy(
                        () -> HandlerWork.of(Map.of(HandlerWork.SPREAD, "wide")).factor(1))
                .hasMessageContaining("work.spread=wide");
    }

    @Test
    void mean_isOfHowLongHandlersBlocked_withoutTheirWaitForTheDownstream() throws Exception {
        HandlerWork work = HandlerWork.of(Map.of(HandlerWork.MILLIS, "20", HandlerWork.DOWNSTREAM, "1"));
        assertThat(work.time()).isEqualTo(HandlerTime.NONE);
        Thread[] handlers = new Thread[6];
        for (int i = 0; i < handlers.length; i++) {
            handlers[i] = Thread.ofVirtual().start(() -> work.on(new byte[16]));
        }
        long begun = System.nanoTime();
        for (Thread handler : handlers) {
            handler.join();
        }
        double allMillis = (System.nanoTime() - begun) / 1e6;
        // Only one call may block at a time, so each call blocks for a sixth of the total time.
        assertThat(work.time().meanMillis()).isGreaterThanOrEqualTo(20).isLessThan(allMillis / 2);
    }

    /** Two of ten handlers may block at a time; the others wait. */
    @Test
    void downstream_letsSoManyBlock() throws Exception {
        HandlerWork work = HandlerWork.of(Map.of(HandlerWork.MILLIS, "5", HandlerWork.DOWNSTREAM, "2"));
        CountDownLatch done = new CountDownLatch(10);
        long begun = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            Thread.ofVirtual().start(() -> {
                work.on(new byte[16]);
                done.countDown();
            });
        }
        done.await();
        // Two handlers at a time need five turns of 5 ms.
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(25_000_000);
    }
}
