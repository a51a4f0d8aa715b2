package dev.weir.bench.result;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The results folder of one campaign. It contains only finished runs, even after an interruption. Only one process may
 * write to the folder at a time, but any process may read it at any time. Confined to one thread.
 *
 * <pre>
 * campaign.json             everything known before the first run
 * runs.jsonl                a line per finished run; a later line replaces an earlier one of the same point, driver
 *                           and round
 * latency/RUN.hlog          HdrHistogram interval log of a run, written before the run's line in runs.jsonl
 * logs/RUN.log              output of the run's processes
 * report.html, *.csv, summary.jsonl    created from the files above, may be deleted
 * </pre>
 */
public final class ResultsFolder {

    private static final String CAMPAIGN = "campaign.json";
    private static final String RUNS = "runs.jsonl";
    private static final String LATENCY = "latency";
    private static final ObjectMapper JSON = new ObjectMapper()
            .setVisibility(PropertyAccessor.ALL, JsonAutoDetect.Visibility.NONE)
            .setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);

    private final Path path;
    private final Campaign campaign;
    private final Map<Run.Key, Run> runs = new LinkedHashMap<>();
    private final List<Run> replaced = new ArrayList<>();
    private long wholeLinesBytes;

    private ResultsFolder(Path path, Campaign campaign) throws IOException {
        this.path = path;
        this.campaign = campaign;
        readRuns();
    }

    /**
     * Checks that a folder can be created for a new campaign. Changes nothing.
     *
     * @throws IllegalArgumentException if there is already a campaign, or if the folder cannot be written
     */
    public static void requireNew(Path path) {
        if (Files.exists(path.resolve(CAMPAIGN))) {
            throw new IllegalArgumentException(path + " holds a campaign already: resume it or name another folder");
        }
        Path there = path.toAbsolutePath();
        for (Path above = there; !Files.exists(there) && above != null; above = above.getParent()) {
            there = above;
        }
        if (!Files.isDirectory(there) || !Files.isWritable(there)) {
            throw new IllegalArgumentException("results cannot be written to " + path + ": " + there
                    + " is not a folder that this user may write to; name another one");
        }
    }

    /** Creates the folder of a new campaign. Fails if the folder already holds a campaign. */
    public static ResultsFolder create(Path path, Campaign campaign) {
        try {
            requireNew(path);
            Files.createDirectories(path.resolve(LATENCY));
            Files.createDirectories(path.resolve("logs"));
            byte[] json = JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(campaign);
            replace(path.resolve(CAMPAIGN), json);
            return new ResultsFolder(path, campaign);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make results folder " + path + ": " + e, e);
        }
    }

    /** Opens the folder of a finished or unfinished campaign, to read its results or to resume it. */
    public static ResultsFolder open(Path path) {
        Path file = path.resolve(CAMPAIGN);
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(path + " is not a results folder: there is no " + CAMPAIGN + " in it");
        }
        try {
            return new ResultsFolder(path, JSON.readValue(file.toFile(), Campaign.class));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(unreadable(file, e), e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": " + e, e);
        }
    }

    /** Returns whether there is a results folder at this path. */
    public static boolean isAt(Path path) {
        return Files.isRegularFile(path.resolve(CAMPAIGN));
    }

    public Path path() {
        return path;
    }

    public Campaign campaign() {
        return campaign;
    }

    /** The latest attempt at each run, including failed attempts, in order of execution. */
    public List<Run> runs() {
        List<Run> sorted = new ArrayList<>(runs.values());
        sorted.sort(Comparator.comparingInt(Run::order));
        return List.copyOf(sorted);
    }

    /** The runs replaced by a later attempt, in the order in which they were stored. Most of them failed. */
    public List<Run> replaced() {
        return List.copyOf(replaced);
    }

    private void keep(Run run) {
        Run before = runs.remove(run.key());
        if (before != null) {
            replaced.add(before);
        }
        runs.put(run.key(), run);
    }

    /** Returns whether every run has succeeded. */
    public boolean isComplete() {
        long done = runs.values().stream().filter(run -> run.failure() == null).count();
        return done
                == (long) campaign.rounds()
                        * campaign.points().size()
                        * campaign.drivers().size();
    }

    /** Returns whether this run has succeeded. */
    public boolean isDone(Run.Key key) {
        Run run = runs.get(key);
        return run != null && run.failure() == null;
    }

    /** The file that receives the output of a run's processes. */
    public Path log(Run.Key key) {
        return path.resolve("logs").resolve(key.fileName() + ".log");
    }

    /**
     * Stores a finished run. Once this method has returned, the run survives a crash of the process or the machine.
     *
     * @param latencies histograms in nanoseconds, each with start and end timestamps and a tag from {@link LatencyTags}
     */
    public void append(Run run, List<Histogram> latencies) {
        requireKnown(run);
        try {
            Path log = hlog(run.key());
            if (latencies.isEmpty()) {
                Files.deleteIfExists(log);
            } else {
                replace(log, LatencyTags.encode(latencies));
            }
            byte[] line = (JSON.writeValueAsString(run) + "\n").getBytes(StandardCharsets.UTF_8);
            try (FileChannel file =
                    FileChannel.open(path.resolve(RUNS), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                // An interrupted writer may have left an incomplete line.
                file.truncate(wholeLinesBytes);
                file.position(wholeLinesBytes);
                ByteBuffer bytes = ByteBuffer.wrap(line);
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
                file.force(true);
            }
            wholeLinesBytes += line.length;
            keep(run);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to results folder " + path + ": " + e, e);
        }
    }

    /**
     * Returns the latencies of a run, or of a phase (see {@link PhaseRuns}), with one histogram per interval and tag.
     * Returns an empty list if the scenario measures no latency.
     */
    public List<Histogram> latencyIntervals(Run.Key key) {
        PhaseRuns.Origin phase = PhaseRuns.origin(key);
        Path log = hlog(phase == null ? key : phase.run());
        if (!Files.isRegularFile(log)) {
            return List.of();
        }
        try {
            List<Histogram> all = LatencyTags.decode(Files.readAllBytes(log));
            return phase == null ? LatencyTags.ofRun(all) : LatencyTags.ofPhase(phase.number(), all);
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("cannot read " + log + ": " + e + "; delete it to continue without", e);
        }
    }

    /** Atomically writes a file that is created from the runs. */
    public Path write(String name, byte[] content) {
        Path file = path.resolve(name);
        try {
            replace(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": " + e, e);
        }
        return file;
    }

    private void requireKnown(Run run) {
        if (campaign.points().stream().noneMatch(p -> p.id().equals(run.point()))
                || campaign.drivers().stream().noneMatch(d -> d.name().equals(run.driver()))) {
            throw new IllegalArgumentException(
                    "run of another campaign: point=" + run.point() + " driver=" + run.driver());
        }
    }

    private void readRuns() throws IOException {
        Path file = path.resolve(RUNS);
        if (!Files.exists(file)) {
            return;
        }
        byte[] bytes = Files.readAllBytes(file);
        int line = 0;
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '\n') {
                continue;
            }
            line++;
            try {
                keep(JSON.readValue(bytes, start, i - start, Run.class));
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        unreadable(file, e) + "; line " + line + ": delete it, then resume to do that run again", e);
            }
            start = i + 1;
        }
        wholeLinesBytes = start;
    }

    private Path hlog(Run.Key key) {
        return path.resolve(LATENCY).resolve(key.fileName() + ".hlog");
    }

    private static String unreadable(Path file, IOException e) {
        return "cannot read " + file + ": " + e.getMessage();
    }

    private static void replace(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(fresh); // If the disk is full, this frees space.
            throw e;
        }
    }
}
