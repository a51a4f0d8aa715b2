package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.TestEnvironment.ManualSubscriber;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.TestNG;

/**
 * Runs a verification of the Reactive Streams TCK, which is written for TestNG, as tests of JUnit. Stateless.
 *
 * <p>A rule that the TCK skips counts as a failure here, except for methods named {@code untested_}.
 */
final class Tck {

    private static final long TIMEOUT_MILLIS = 8_000;
    private static final long NO_SIGNAL_MILLIS = 30;
    private static final long POLL_MILLIS = 10;

    private Tck() {}

    /** Returns an environment with long waits for required signals, and short waits for forbidden ones. */
    static TestEnvironment environment() {
        return new TestEnvironment(TIMEOUT_MILLIS, NO_SIGNAL_MILLIS, POLL_MILLIS);
    }

    static Stream<DynamicTest> verify(Class<?> verification) {
        Results results = new Results();
        TestNG runner = new TestNG(/* useDefaultListeners= */ false);
        runner.setVerbose(0);
        runner.setTestClasses(new Class<?>[] {verification});
        runner.addListener(results);
        runner.run();
        assertThat(results.ended).as("rules of " + verification.getSimpleName()).hasSizeGreaterThan(10);
        return results.ended.stream().map(Tck::asTest);
    }

    /** Checks rule 3.13 without the TCK's limit of a tenth of a second for the garbage collector. */
    static <T> void assertDropsItsSubscriber(Publisher<T> publisher) throws Exception {
        WeakReference<?> subscriber = cancelledSubscriber(publisher);
        try {
            while (subscriber.get() != null) {
                assertThat(Thread.interrupted())
                        .as("timed out, with the subscriber still referenced")
                        .isFalse();
                System.gc();
            }
        } finally {
            Reference.reachabilityFence(publisher);
        }
    }

    private static <T> WeakReference<?> cancelledSubscriber(Publisher<T> publisher) throws Exception {
        ManualSubscriber<T> subscriber = environment().newManualSubscriber(publisher);
        subscriber.request(1);
        subscriber.nextElement();
        subscriber.cancel();
        return new WeakReference<>(subscriber);
    }

    private static DynamicTest asTest(ITestResult result) {
        return DynamicTest.dynamicTest(result.getName(), () -> {
            if (result.getThrowable() != null) {
                throw new AssertionError(
                        result.getStatus() == ITestResult.SKIP ? "skipped" : "failed", result.getThrowable());
            }
            assertThat(result.isSuccess()).isTrue();
        });
    }

    /** Collects TestNG's reports. Confined to the thread that runs it. */
    private static final class Results implements ITestListener {

        private final List<ITestResult> ended = new ArrayList<>();

        @Override
        public void onTestSuccess(ITestResult result) {
            ended.add(result);
        }

        @Override
        public void onTestFailure(ITestResult result) {
            ended.add(result);
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            if (!result.getName().startsWith("untested_")) {
                ended.add(result);
            }
        }
    }
}
