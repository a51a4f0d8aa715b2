package dev.weir.bench.figures;

import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Phase;
import dev.weir.bench.statistics.Latencies;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Collects the per-second figures of a group and its generator from the start of the plan. The figures of a report are
 * added to the second that contains the middle of its interval. Confined to one thread.
 */
public final class LiveFigures {
    private static final long LEAST_SLOT_MILLIS = 1000;

    /** Number of consecutive empty reports after which the generator counts as stopped. */
    private static final int QUIET_REPORTS = 2;

    private final int partitionCount;
    private final int groupCount; // each group receives every record
    private final long slotMillis;
    private final List<Slot> slots = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>(); // in the order of their seconds
    private long planStartNanos;
    private boolean isBegun;
    private boolean isEnded;
    private long sent; // including existing records
    private long came; // distinct records
    private long again;
    private long unacknowledged; // number of sent records that are not acknowledged yet
    private boolean hasSent;
    private int quietReports; // consecutive generator reports without records
    private int warmUpSlots;
    private int brokerSlots; // number of seconds covered by calls of ofBrokers

    /** Figures of several seconds. They are too large to keep per second. */
    private static final class Part {
        private final int firstSlot;
        private final Histogram[] partitions;
        private final Map<Integer, Histogram> consumers = new TreeMap<>(); // by process
        private final Map<Integer, Long> taken = new TreeMap<>(); // records, by process
        private long readerNanos; // processor time

        Part(int firstSlot, int partitions) {
            this.firstSlot = firstSlot;
            this.partitions = new Histogram[partitions];
            Arrays.setAll(this.partitions, partition -> new Histogram(3));
        }

        void add(Part other) {
            Arrays.setAll(partitions, partition -> sum(partitions[partition], other.partitions[partition]));
            other.consumers.forEach(
                    (member, ofOther) -> sum(consumers.computeIfAbsent(member, m -> new Histogram(3)), ofOther));
            other.taken.forEach((member, records) -> taken.merge(member, records, Long::sum));
            readerNanos += other.readerNanos;
        }

        private static Histogram sum(Histogram into, Histogram other) {
            into.add(other);
            return into;
        }
    }

    /** The figures of one second. Figures that were not reported are {@link Interval#UNKNOWN} or null. */
    private static final class Slot {
        private final int[] sentTo; // by partition
        private final int[] cameFrom;
        private final Histogram timings = new Histogram(3);
        private final Histogram lateness = new Histogram(3);
        private final SeriesBook series = new SeriesBook();
        private final PolledSizes polls = new PolledSizes();
        private long sent;
        private long records;
        private long bytes;
        private long lag;
        private long brokerNanos = Interval.UNKNOWN;
        private HandlerTime handlers = HandlerTime.NONE;
        private @Nullable Usage usage;
        private long again;

        Slot(int partitions) {
            sentTo = new int[partitions];
            cameFrom = new int[partitions];
        }

        Map<String, Double> figures() {
            Map<String, Double> figures = series.figures();
            polls.put(figures);
            return figures;
        }

        /** Returns a percentile of the latencies, even of very few. */
        double percentileMillis(double percentile) {
            return timings.getTotalCount() == 0 ? Double.NaN : timings.getValueAtPercentile(percentile) / 1e6;
        }
    }

    /**
     * Creates a collector for reports that cover intervals of this length.
     *
     * @param there number of records that exist before the generator sends its first one
     */
    public LiveFigures(int partitions, int intervalMillis, long there) {
        this(partitions, intervalMillis, there, 1);
    }

    /** Creates a collector that combines the figures of several groups. Each group receives every record. */
    public LiveFigures(int partitions, int intervalMillis, long there, int groups) {
        this.groupCount = groups;
        this.partitionCount = partitions;
        this.slotMillis = Math.max(LEAST_SLOT_MILLIS, intervalMillis);
        this.sent = there * groups;
        parts.add(new Part(0, partitions));
    }

    /** Returns the index of the second whose start is closest to this time. */
    public int nearest(double atMillis) {
        return (int) ((atMillis + slotMillis / 2.0) / slotMillis);
    }

    /** Begins a new part at the second whose start is closest to this time. */
    public void beginPart(double atMillis) {
        beginPart(nearest(atMillis));
    }

    private void beginPart(int firstSlot) {
        if (firstSlot > parts.getLast().firstSlot) {
            parts.add(new Part(firstSlot, partitionCount));
        }
    }

    private Part part(int slot) {
        int i = parts.size() - 1;
        while (i > 0 && parts.get(i).firstSlot > slot) {
            i--;
        }
        return parts.get(i);
    }

    private Part parts(int from, int to) {
        Part sum = new Part(from, partitionCount);
        parts.stream()
                .filter(part -> part.firstSlot >= from && part.firstSlot < to)
                .forEach(sum::add);
        return sum;
    }

    /** Notes the length of the warm-up and the start of the send plan, as {@link System#nanoTime}. */
    public void begin(long startNanos, double warmUpMillis) {
        planStartNanos = startNanos;
        warmUpSlots = (int) (warmUpMillis / slotMillis);
        beginPart(warmUpSlots);
        isBegun = true;
    }

    /** Ends the series; later reports are ignored. */
    public void end() {
        isEnded = true;
    }

    public double millisSince(long nanos) {
        return (nanos - planStartNanos) / 1e6;
    }

    private int index(long startNanos, long endNanos) {
        long middle = startNanos + (endNanos - startNanos) / 2 - planStartNanos;
        return isBegun ? (int) Math.floorDiv(middle, TimeUnit.MILLISECONDS.toNanos(slotMillis)) : -1;
    }

    private Slot slot(int index) {
        while (slots.size() <= index) {
            slots.add(new Slot(partitionCount));
        }
        return slots.get(index);
    }

    /**
     * Adds a member's report.
     *
     * @param timings latencies of the received records, one histogram per partition
     */
    public void ofMember(
            int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
        int index = index(startNanos, endNanos);
        if (index < 0 || isEnded) {
            return;
        }
        ofProcess(member, index, interval);
        came(index, interval, timings);
        Histogram ofConsumer = part(index).consumers.computeIfAbsent(member, m -> new Histogram(3));
        timings.subList(0, partitionCount).forEach(ofConsumer::add);
    }

    /**
     * Adds the report of a member that copies records. The records count as received when {@link #ofReader} reports
     * their copies.
     */
    public void ofCopier(int member, long startNanos, long endNanos, Report.Interval interval) {
        int index = index(startNanos, endNanos);
        if (index >= 0 && !isEnded) {
            ofProcess(member, index, interval);
        }
    }

    /**
     * Adds an interval report of the process that reads the members' output.
     *
     * @param timings latencies of the records, one histogram per partition
     */
    public void ofReader(long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
        int index = index(startNanos, endNanos);
        if (index >= 0 && !isEnded) {
            came(index, interval, timings);
            part(index).readerNanos += interval.usage().cpuNanos();
        }
    }

    private void ofProcess(int member, int index, Report.Interval interval) {
        Slot slot = slot(index);
        slot.series.add(member, interval.figures());
        slot.polls.add(interval.polls());
        slot.handlers = slot.handlers.plus(interval.handlers());
        Usage before = slot.usage;
        slot.usage = before == null ? interval.usage() : before.plus(interval.usage());
        part(index).taken.merge(member, interval.records(), Long::sum);
    }

    private void came(int index, Report.Interval interval, List<Histogram> timings) {
        Slot slot = slot(index);
        slot.records += interval.records();
        slot.bytes += interval.bytes();
        for (int partition = 0; partition < partitionCount; partition++) {
            slot.timings.add(timings.get(partition));
            slot.cameFrom[partition] += (int) timings.get(partition).getTotalCount();
            part(index).partitions[partition].add(timings.get(partition));
        }
    }

    /**
     * Adds a report of the generator.
     *
     * @param acknowledged number of records that were acknowledged in the interval
     * @param late the lateness of the sent records, one histogram per partition
     */
    public void ofGenerator(long startNanos, long endNanos, long acknowledged, List<Histogram> late) {
        Slot slot = slot(Math.max(0, index(startNanos, endNanos)));
        long count = 0;
        for (int partition = 0; partition < partitionCount; partition++) {
            Histogram ofPartition = late.get(partition);
            slot.sentTo[partition] += (int) ofPartition.getTotalCount();
            count += ofPartition.getTotalCount();
            slot.lateness.add(ofPartition);
        }
        hasSent = true;
        slot.sent += count * groupCount;
        sent += count * groupCount;
        unacknowledged += count - acknowledged;
        quietReports = count == 0 ? quietReports + 1 : 0;
    }

    /**
     * Adds the group's totals at the end of a generator interval.
     *
     * @param cameSoFar number of distinct records received so far
     * @param againSoFar number of repeated records so far, or {@link Interval#UNKNOWN}
     */
    public void ofGroup(long startNanos, long endNanos, long cameSoFar, long againSoFar) {
        Slot slot = slot(Math.max(0, index(startNanos, endNanos)));
        slot.again = OptionalCounts.plus(slot.again, OptionalCounts.minus(againSoFar, again));
        came = cameSoFar;
        again = againSoFar;
        slot.lag = lag();
    }

    /** Notes that the generator was asked to stop. */
    public void sendsNoMore() {
        quietReports = 0;
    }

    /** Returns whether the generator may still have records to send, or still waits for acknowledgements. */
    public boolean isSending() {
        return hasSent && (unacknowledged > 0 || quietReports < QUIET_REPORTS);
    }

    /**
     * Adds the processor time that brokers used since the last call, and divides it equally among the seconds since
     * then.
     */
    public void ofBrokers(long nowNanos, long nanos) {
        int last = Math.max(0, index(nowNanos, nowNanos));
        int first = brokerSlots == 0 ? last : Math.min(last, brokerSlots);
        long share = nanos == Interval.UNKNOWN ? nanos : nanos / (last - first + 1);
        for (int i = first; i <= last; i++) {
            Slot slot = slot(i);
            slot.brokerNanos =
                    slot.brokerNanos == Interval.UNKNOWN ? share : OptionalCounts.plus(slot.brokerNanos, share);
        }
        brokerSlots = last + 1;
    }

    /** Adds figures of the generator's own clients. */
    public void ofSender(long startNanos, long endNanos, Map<String, Double> series) {
        Map<String, Double> named = new TreeMap<>();
        series.forEach((name, value) -> named.put("generator, " + name, value));
        slot(Math.max(0, index(startNanos, endNanos))).series.add(SeriesBook.AROUND, named);
    }

    /** Adds figures of brokers and the machine. */
    public void ofAround(long nowNanos, Map<String, Double> series) {
        slot(Math.max(0, index(nowNanos, nowNanos))).series.add(SeriesBook.AROUND, series);
    }

    /** Returns the number of records sent to each partition in a range of seconds. */
    public long[] sentTo(int from, int to) {
        long[] sum = new long[partitionCount];
        for (Slot slot : slots.subList(from, to)) {
            for (int partition = 0; partition < partitionCount; partition++) {
                sum[partition] += slot.sentTo[partition];
            }
        }
        return sum;
    }

    /** Returns the number of records received by each process, in the parts that begin within this range. */
    public long[] cameTo(int from, int to) {
        return parts(from, to).taken.values().stream()
                .mapToLong(Long::longValue)
                .toArray();
    }

    /**
     * Returns the reader's processor time, summed over all parts whose first second is in this range; 0 without a
     * reader.
     */
    public long readerNanos(int from, int to) {
        return parts(from, to).readerNanos;
    }

    long lag() {
        return Math.max(0, sent - came);
    }

    double slotMillis() {
        return slotMillis;
    }

    /** Returns the first {@code count} seconds, with latencies at the target's percentile. */
    public List<Recovery.Second> seconds(int count, LatencyTarget target) {
        int[] silent = silent(count, (int) (target.limitMillis() / slotMillis));
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    Slot slot = slots.get(i);
                    double millis = slot.percentileMillis(target.percentile());
                    return new Recovery.Second(slot.sent, slot.lag, silent[i], millis);
                })
                .toList();
    }

    /**
     * Returns the number of silent partitions for every second. A partition is silent if nothing arrives while enough
     * records are sent to it.
     */
    private int[] silent(int count, int limitSlots) {
        int[] silent = new int[count];
        for (int partition = 0; partition < partitionCount; partition++) {
            int from = 0;
            for (int i = 0; i <= count; i++) {
                if (i < count && slots.get(i).cameFrom[partition] == 0) {
                    continue;
                }
                int sentTo = 0;
                for (int due = from; due < i - limitSlots; due++) {
                    sentTo += slots.get(due).sentTo[partition];
                }
                for (int each = from; each < i && sentTo >= Recovery.LEAST_SENT; each++) {
                    silent[each]++;
                }
                from = i + 1;
            }
        }
        return silent;
    }

    /** Returns the latencies of a range of seconds. */
    public Histogram timings(int from, int to) {
        Histogram sum = new Histogram(3);
        slots.subList(from, to).forEach(slot -> sum.add(slot.timings));
        return sum;
    }

    /**
     * Returns the number of repeated records in a range of seconds. Returns {@link Interval#UNKNOWN} if the number is
     * unknown for any of the seconds.
     */
    public long again(int from, int to) {
        return slots.subList(from, to).stream().mapToLong(slot -> slot.again).reduce(0, OptionalCounts::plus);
    }

    /**
     * Counts these records by the second in which they were sent. The last element counts records that were sent after
     * the last known second.
     *
     * @param numbers record numbers by partition; record 0 existed before the send plan began
     */
    long[] sentBySecond(List<BitSet> numbers) {
        long[] bySecond = new long[slots.size() + 1];
        for (int partition = 0; partition < numbers.size(); partition++) {
            BitSet ofPartition = numbers.get(partition);
            int second = 0;
            long last = slots.isEmpty() ? 0 : slots.getFirst().sentTo[partition]; // last number of that second
            for (int number = ofPartition.nextSetBit(0); number >= 0; number = ofPartition.nextSetBit(number + 1)) {
                while (second < slots.size() && number > last) {
                    second++;
                    last += second < slots.size() ? slots.get(second).sentTo[partition] : 0;
                }
                bySecond[second]++;
            }
        }
        return bySecond;
    }

    /** Makes all whole seconds before this time part of the warm-up. */
    public void discard(double atMillis) {
        warmUpSlots = Math.max(warmUpSlots, (int) (atMillis / slotMillis));
        beginPart(warmUpSlots);
    }

    /** Returns the number of warm-up seconds among the first {@code count}. */
    public int warmUp(int count) {
        return Math.min(warmUpSlots, count);
    }

    /** Returns the number of whole seconds before this time, limited to the seconds with figures. */
    public int whole(double millis) {
        return (int) Math.min(slots.size(), (long) (millis / slotMillis));
    }

    /** Returns the first {@code count} seconds as intervals. */
    public List<Interval> intervals(int count) {
        List<Interval> intervals = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Slot slot = slots.get(i);
            Usage usage = slot.usage;
            intervals.add(new Interval(
                    i * slotMillis,
                    slotMillis,
                    slot.records,
                    slot.bytes,
                    usage == null ? 0 : usage.cpuNanos(),
                    usage == null ? 0 : usage.allocatedBytes(),
                    usage == null ? 0 : usage.gcMillis(),
                    slot.lag,
                    usage == null ? Interval.UNKNOWN : usage.heapBytes(),
                    usage == null ? Interval.UNKNOWN : usage.directBytes(),
                    slot.brokerNanos,
                    slot.figures(),
                    slot.polls.told()));
        }
        return intervals;
    }

    /** Returns the resources used by all members in a range of seconds; null if not reported. */
    @Nullable
    public Usage usage(int from, int to) {
        return slots.subList(from, to).stream()
                .map(slot -> slot.usage)
                .filter(usage -> usage != null)
                .reduce(Usage::plus)
                .orElse(null);
    }

    public HandlerTime handlers(int from, int to) {
        return slots.subList(from, to).stream().map(slot -> slot.handlers).reduce(HandlerTime.NONE, HandlerTime::plus);
    }

    public Histogram lateness(int from, int to) {
        Histogram sum = new Histogram(3);
        slots.subList(from, to).forEach(slot -> sum.add(slot.lateness));
        return sum;
    }

    /**
     * Returns the histograms for the run's log. Every second, including the warm-up, has one histogram for latency and
     * one for lateness. In addition, each partition and each consumer has a latency histogram for the time after the
     * warm-up.
     */
    public List<Histogram> latencies(int count) {
        long wallNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        long beginMillis = TimeUnit.NANOSECONDS.toMillis(wallNanos + planStartNanos);
        List<Histogram> all = new ArrayList<>();
        int warmUp = warmUp(count);
        for (int i = 0; i < count; i++) {
            Slot slot = slots.get(i);
            long from = beginMillis + i * slotMillis;
            String response = i < warmUp ? LatencyTags.ofWarmUp(LatencyTags.RESPONSE) : LatencyTags.RESPONSE;
            keepResponses(slot.timings, response, from, i == count - 1, all);
            keep(
                    slot.lateness,
                    i < warmUp ? LatencyTags.ofWarmUp(LatencyTags.LATENESS) : LatencyTags.LATENESS,
                    from,
                    all);
        }
        keep(parts(warmUp, Integer.MAX_VALUE), tag -> tag, beginMillis, all);
        return all;
    }

    /**
     * Returns the histograms of a phase for the run's log.
     *
     * @param number number of the phase, from 1
     * @param from first second of the phase, for which {@link #beginPart} must have been called
     * @param to the second after the phase's last one
     */
    public List<Histogram> latenciesOfPhase(int number, int from, int to) {
        long wallNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        long beginMillis = TimeUnit.NANOSECONDS.toMillis(wallNanos + planStartNanos);
        List<Histogram> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            long second = beginMillis + i * slotMillis;
            String response = LatencyTags.ofPhase(number, LatencyTags.RESPONSE);
            keepResponses(slots.get(i).timings.copy(), response, second, i == to - 1, all);
            keep(slots.get(i).lateness.copy(), LatencyTags.ofPhase(number, LatencyTags.LATENESS), second, all);
        }
        keep(parts(from, to), tag -> LatencyTags.ofPhase(number, tag), beginMillis, all);
        return all;
    }

    /** Adds the responses of a second. Readers of the log need the last second even if it is empty. */
    private void keepResponses(Histogram timings, String tag, long fromMillis, boolean isLast, List<Histogram> into) {
        if (timings.getTotalCount() > 0 || (isLast && !into.isEmpty())) {
            add(timings, tag, fromMillis, into);
        }
    }

    private void keep(Part part, UnaryOperator<String> tags, long beginMillis, List<Histogram> into) {
        for (int partition = 0; partition < partitionCount; partition++) {
            String tag = LatencyTags.responseOfPartition(partition);
            keep(part.partitions[partition], tags.apply(tag), beginMillis, into);
        }
        part.consumers.forEach((member, ofConsumer) ->
                keep(ofConsumer, tags.apply(LatencyTags.responseOfConsumer(member)), beginMillis, into));
    }

    private void keep(Histogram histogram, String tag, long fromMillis, List<Histogram> into) {
        if (histogram.getTotalCount() > 0) {
            add(histogram, tag, fromMillis, into);
        }
    }

    private void add(Histogram histogram, String tag, long fromMillis, List<Histogram> into) {
        histogram.setTag(tag);
        histogram.setStartTimeStamp(fromMillis);
        histogram.setEndTimeStamp(fromMillis + slotMillis);
        into.add(histogram);
    }

    /** Returns the phase between two times, during which the run had these settings. */
    public Phase phase(double fromMillis, double toMillis, String begunBy, LiveSettings settings) {
        Histogram timings = new Histogram(3);
        long sentThen = 0;
        long records = 0;
        long lag = 0;
        int first = nearest(fromMillis);
        int last = whole(toMillis + slotMillis / 2.0);
        for (int i = first; i < last; i++) {
            Slot slot = slots.get(i);
            timings.add(slot.timings);
            sentThen += slot.sent;
            records += slot.records;
            lag = slot.lag;
        }
        return new Phase(
                (long) fromMillis,
                (long) toMillis,
                begunBy,
                settings.producerRate(),
                settings.workMillis(),
                settings.consumers(),
                sentThen,
                records,
                last > first ? 1e3 * records / ((last - first) * slotMillis) : Double.NaN,
                Latencies.percentileMillis(timings, 50),
                Latencies.percentileMillis(timings, 99),
                lag);
    }

    /** Returns the figures of clients, brokers and machine for the same second as {@link #latest}, by name. */
    public Map<String, Double> latestSeries(double nowMillis) {
        int last = (int) Math.floor(nowMillis / slotMillis) - 2;
        return last < 0 || last >= slots.size() ? Map.of() : slots.get(last).figures();
    }

    /** Returns the figures of the last second that all processes have reported. */
    public Phase latest(double nowMillis, LiveSettings settings) {
        double to = Math.max(0, Math.floor(nowMillis / slotMillis) - 1) * slotMillis;
        return phase(Math.max(0, to - slotMillis), to, "", settings);
    }
}
