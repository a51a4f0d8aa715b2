package dev.weir.driver;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The clock of a {@link Pacer}; tests replace it. Confined to one thread. */
interface PacerClock {

    /** Returns the time on the harness's clock. */
    long nanos();

    /** Converts a value of {@link System#nanoTime} to a time on the harness's clock. */
    long at(long nanoTime);

    void park(long nanos);

    /** Returns the most recent pauses in which a garbage collector stopped this process. */
    List<Pause> pauses();

    /** A period during which no thread of this process ran, in times on this clock. */
    record Pause(long fromNanos, long toNanos) {

        /** Returns the overlap of the pause with a range of time. */
        long within(long from, long to) {
            return Math.max(0, Math.min(to, toNanos) - Math.max(from, fromNanos));
        }
    }

    /** Clock of this process. */
    final class OfProcess implements PacerClock {
        /** The possible error of a collection's times, which are in whole milliseconds. */
        static final long ROUNDING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

        private final List<GarbageCollectorMXBean> collectors =
                ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).stream()
                        // Exclude beans named "... Cycles". A concurrent cycle stops threads only briefly, and other
                        // beans report these pauses.
                        .filter(bean -> !bean.getName().endsWith("Cycles"))
                        .toList();

        // Times of collections are relative to the start time of the JVM, about 50 ms after the start of the process.
        private final long startNanos = CampaignClock.nanos()
                - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()
                        - ManagementFactory.getRuntimeMXBean().getStartTime());

        @Override
        public long nanos() {
            return CampaignClock.nanos();
        }

        @Override
        public long at(long nanoTime) {
            return CampaignClock.at(nanoTime);
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(nanos);
        }

        @Override
        public List<Pause> pauses() {
            return collectors.stream()
                    .map(GarbageCollectorMXBean::getLastGcInfo)
                    .filter(last -> last != null)
                    .map(this::pause)
                    .toList();
        }

        private Pause pause(GcInfo collection) {
            return new Pause(
                    startNanos + TimeUnit.MILLISECONDS.toNanos(collection.getStartTime()) - ROUNDING_NANOS,
                    startNanos + TimeUnit.MILLISECONDS.toNanos(collection.getEndTime()) + ROUNDING_NANOS);
        }
    }
}
