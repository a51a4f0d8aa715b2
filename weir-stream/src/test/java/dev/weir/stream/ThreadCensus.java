package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds a pipeline's live threads, platform and virtual, by name. Stateless.
 *
 * <p>Reads the JDK's own list of threads, which needs {@code --add-exports}. Thread dumps may crash JDK 25 if threads
 * start or end during the dump (JDK-8359870, JDK-8364343).
 */
final class ThreadCensus {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private ThreadCensus() {}

    static List<String> threadsOf(String pipelineName) {
        Pattern names = Pattern.compile("weir-" + Pattern.quote(pipelineName) + "(-.*)?");
        try {
            Class<?> containers = Class.forName("jdk.internal.vm.ThreadContainers");
            return threadsIn(containers.getMethod("root").invoke(null))
                    .map(Thread::getName)
                    .filter(names.asMatchPredicate())
                    .toList();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK lists its threads in another way", e);
        }
    }

    private static Stream<Thread> threadsIn(Object container) {
        return Stream.concat(
                list(container, "threads").map(Thread.class::cast).filter(Thread::isAlive),
                list(container, "children").flatMap(ThreadCensus::threadsIn));
    }

    private static Stream<?> list(Object container, String what) {
        try {
            return (Stream<?>) Class.forName("jdk.internal.vm.ThreadContainer")
                    .getMethod(what)
                    .invoke(container);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK lists its threads in another way", e);
        }
    }

    /** Returns the number of threads once it is {@code expected}, or after ten seconds. */
    static int countDownTo(int expected, String pipelineName) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        int count;
        while ((count = threadsOf(pipelineName).size()) > expected && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return count;
    }

    static void assertNoneLeft(String pipelineName) {
        if (countDownTo(0, pipelineName) > 0) {
            assertThat(threadsOf(pipelineName)).as("threads left behind").isEmpty();
        }
    }
}
