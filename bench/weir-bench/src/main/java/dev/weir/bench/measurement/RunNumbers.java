package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.figures.GroupLedger;
import dev.weir.bench.figures.GroupPulse;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.result.Interval;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.GroupNumbers;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.NotedNumbers;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the records received by the processes of a run. Local processes note record numbers in a shared file. Remote
 * processes report record numbers at the end of a pass. Confined to one thread, except {@link #look} and {@link #came}.
 */
public final class RunNumbers {
    static final long MOST_RECORDS = 100_000_000;

    private final int partitions;
    private final Path file;
    private final @Nullable GroupNumbers shared; // null if processes are remote
    private final GroupLedger told;
    private final AtomicLong toldSoFar = new AtomicLong(); // records reported in intervals so far
    private final List<Reading> readings = new ArrayList<>(); // private files that are still being read

    /**
     * The notes of a killed process.
     *
     * @param noted the notes, which are still being read from the process's file
     * @param toldRecords the number of records that the process had already reported in intervals
     */
    private record Reading(CompletableFuture<NotedNumbers> noted, long toldRecords) {}

    private RunNumbers(Path file, @Nullable GroupNumbers shared, WorkloadPoint point) {
        this.partitions = point.partitions();
        this.file = file;
        this.shared = shared;
        this.told = new GroupLedger(partitions, point.topics());
    }

    /**
     * Creates the tracker for the processes that a launcher starts.
     *
     * @param file a new file for local processes
     * @throws RunFailure if the file cannot be created
     */
    public static RunNumbers of(DriverLauncher launcher, Path file, WorkloadPoint point) {
        try {
            GroupNumbers shared = launcher.isHere() ? GroupNumbers.in(file, point.partitions(), MOST_RECORDS) : null;
            return new RunNumbers(file, shared, point);
        } catch (UncheckedIOException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    static RunFailure sentAll() {
        return new RunFailure("the generator has sent all that a run can count, " + MOST_RECORDS
                + " records to each partition: let it run shorter, or at a lower rate");
    }

    /** Options that make a process note or report the records that it receives. */
    Map<String, String> options() {
        return options("");
    }

    /**
     * Options for a process that may be killed.
     *
     * @param ownFile the process's private file on its machine; empty for a process on this machine
     */
    Map<String, String> options(String ownFile) {
        Map<String, String> options = new TreeMap<>(Map.of(PassOptions.TELLS, "true"));
        if (shared != null) {
            options.put(PassOptions.GROUP_NUMBERS, file.toString());
        } else if (!ownFile.isEmpty()) {
            options.put(PassOptions.OWN_NUMBERS, ownFile);
        }
        return options;
    }

    void told(long records) {
        toldSoFar.addAndGet(records);
    }

    /** Starts reading the private file of a killed process, while the run continues. */
    void killed(LivePart part) {
        if (!part.noted.isEmpty()) {
            Supplier<NotedNumbers> noted = part.process.noted(part.noted, partitions, MOST_RECORDS);
            readings.add(
                    new Reading(CompletableFuture.supplyAsync(noted, Thread.ofVirtual()::start), part.member.told()));
        }
    }

    /**
     * Adds the records of killed processes whose files have been read since the last call.
     *
     * @throws RunFailure if a file cannot be read
     */
    void take() {
        readings.removeIf(reading -> {
            if (!reading.noted.isDone()) {
                return false;
            }
            add(reading);
            return true;
        });
    }

    private void add(Reading reading) {
        NotedNumbers noted;
        try {
            noted = reading.noted.join();
        } catch (CompletionException e) {
            throw new RunFailure(
                    String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()));
        }
        told(Math.max(0, told.add(noted) - reading.toldRecords));
    }

    /** Adds the numbers of the records that a pass delivered. Called when the pass ends. */
    void add(Report.Delivered numbers) {
        told.add(numbers);
    }

    void add(LedgerFigures ofPass) {
        told.add(ofPass);
    }

    /** The number of distinct records received so far, as noted in the shared file or reported in intervals. */
    long came() {
        return shared == null ? toldSoFar.get() : shared.came();
    }

    /** Takes a sample of the number of distinct records received so far and, if known, the number of repeats. */
    GroupPulse.Look look() {
        return shared == null
                ? new GroupPulse.Look(System.nanoTime(), toldSoFar.get(), Interval.UNKNOWN)
                : GroupPulse.Look.at(shared);
    }

    /**
     * The final delivery counts of a group, including the records of killed processes.
     *
     * @param ends the number of records in each partition
     */
    LedgerFigures ofGroup(long[] ends) {
        readings.forEach(this::add);
        readings.clear();
        LedgerFigures figures = told.figures(ends);
        return shared == null ? figures : shared.figures(figures, ends);
    }

    /** The delivery counts of a run with a single process. */
    LedgerFigures ofOne(LedgerFigures ofPass, long[] ends) {
        if (shared != null) {
            return shared.figures(ofPass, ends);
        }
        LedgerFigures figures = told.figures(ends);
        return counted(figures, ofPass)
                .with(IntStream.range(0, figures.topics().size())
                        .mapToObj(topic -> counted(
                                figures.topics().get(topic), ofPass.topics().get(topic)))
                        .toList());
    }

    private static LedgerFigures counted(LedgerFigures figures, LedgerFigures ofPass) {
        return new LedgerFigures(
                figures.distinct(),
                figures.missing(),
                ofPass.duplicates(),
                ofPass.reordered(),
                ofPass.foreign() + figures.foreign(),
                ofPass.retried(),
                ofPass.redelivered());
    }

    /** The numbers of the records that never arrived, by partition. */
    List<BitSet> missing(long[] ends) {
        return IntStream.range(0, ends.length)
                .mapToObj(partition -> shared == null
                        ? told.missing(partition, ends[partition])
                        : shared.missing(partition, ends[partition]))
                .toList();
    }
}
