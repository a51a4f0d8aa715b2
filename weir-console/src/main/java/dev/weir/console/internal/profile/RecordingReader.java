package dev.weir.console.internal.profile;

import dev.weir.console.profile.Profile;
import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording and creates a profile. Confined to one thread.
 *
 * <p>Reads the file twice: first the samples, then the stage runs. In a stage run, a stage processed one batch. There
 * may be millions of runs, so only runs with a sample are kept.
 */
final class RecordingReader {

    /** Maximum number of samples in memory; others count as lost. A minute of CPU-time sampling has a tenth of it. */
    private static final int MOST_SAMPLES = 200_000;

    private final Path file;
    private final String sampler;
    private final Duration period;
    private final Map<String, Frame> frames = new HashMap<>();
    private final Map<CallStack, CallStack> stacks = new HashMap<>(); // interned, because most stacks occur repeatedly
    private final List<Sample> samples = new ArrayList<>();
    private long lost;

    /** Creates a reader for a recording in which the event {@code sampler} sampled each thread every {@code period}. */
    RecordingReader(Path file, String sampler, Duration period) {
        this.file = file;
        this.period = period;
        this.sampler = sampler;
    }

    /**
     * Reads the recording.
     *
     * @param time the duration of the recording
     */
    Profile read(Duration time) throws IOException {
        Map<String, Consumer<RecordedEvent>> first = new HashMap<>();
        first.put(sampler, this::addCpu);
        first.put(RecordingSettings.CPU_TIME_LOST, event -> lost += event.getLong("lostSamples"));
        first.put(RecordingSettings.ALLOCATION, this::addAllocation);
        RecordingSettings.WAITS.forEach((event, kind) -> first.put(event, wait -> addWait(wait, kind)));
        readEach(first);
        StageJoin join = new StageJoin(samples);
        ProfileMaker maker = new ProfileMaker();
        Map<String, StageRun> runs = new HashMap<>();
        readEach(Map.of(RecordingSettings.STAGE_RUN, event -> {
            StageRun run = run(runs, event);
            maker.worked(new StageRef(run.pipeline(), run.stage()));
            run.maps().forEach(map -> maker.worked(new StageRef(run.pipeline(), map)));
            RecordedThread thread = event.getThread();
            if (thread != null) {
                long end = nanos(event.getStartTime());
                join.ran(thread.getId(), end - event.getLong("nanos"), end, run);
            }
        }));
        join.forEach(maker::add);
        return maker.make(time, period, sampler, lost);
    }

    private void readEach(Map<String, Consumer<RecordedEvent>> actions) throws IOException {
        try (EventStream events = EventStream.openFile(file)) {
            events.setReuse(true);
            events.setOrdered(false);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            // Keep the stream from printing the exception. It continues, so check the exception at its end.
            events.onError(failure::set);
            actions.forEach(events::onEvent);
            events.start();
            if (failure.get() != null) {
                throw new IOException("the recording cannot be read: " + failure.get(), failure.get());
            }
        }
    }

    private static StageRun run(Map<String, StageRun> runs, RecordedEvent event) {
        String pipeline = event.getString("pipeline");
        String stage = event.getString("stage");
        String maps = event.getString("maps");
        return runs.computeIfAbsent(pipeline + "\0" + stage + "\0" + maps, names -> StageRun.of(pipeline, stage, maps));
    }

    private void addCpu(RecordedEvent event) {
        RecordedThread thread =
                event.hasField("sampledThread") ? event.getThread("sampledThread") : event.getThread("eventThread");
        CallStack stack = stack(event);
        if (thread == null || stack == null) {
            lost++;
            return;
        }
        add(new Sample(Sample.Kind.CPU, thread.getId(), nanos(event.getStartTime()), 1, "", stack));
    }

    private void addAllocation(RecordedEvent event) {
        RecordedThread thread = event.getThread();
        CallStack stack = stack(event);
        if (thread != null && stack != null) {
            add(new Sample(
                    Sample.Kind.ALLOCATION,
                    thread.getId(),
                    nanos(event.getStartTime()),
                    event.getLong("weight"),
                    typeName(event.getClass("objectClass").getName()),
                    stack));
        }
    }

    private void addWait(RecordedEvent event, String kind) {
        RecordedThread thread = event.getThread();
        CallStack stack = stack(event);
        if (thread != null && stack != null) {
            long nanos = event.getDuration().toNanos();
            add(new Sample(
                    Sample.Kind.WAIT, thread.getId(), nanos(event.getStartTime()) + nanos / 2, nanos, kind, stack));
        }
    }

    private void add(Sample sample) {
        if (samples.size() < MOST_SAMPLES) {
            samples.add(sample);
        } else {
            lost++;
        }
    }

    /** Returns null if the JVM could not walk the stack. */
    private @Nullable CallStack stack(RecordedEvent event) {
        RecordedStackTrace trace = event.getStackTrace();
        if (trace == null || trace.getFrames().isEmpty()) {
            return null;
        }
        List<Frame> found = new ArrayList<>(trace.getFrames().size());
        for (RecordedFrame frame : trace.getFrames()) {
            RecordedMethod method = frame.getMethod();
            if (method != null) {
                found.add(frame(method.getType().getName(), method.getName()));
            }
        }
        CallStack stack = new CallStack(List.copyOf(found), trace.isTruncated());
        CallStack before = stacks.putIfAbsent(stack, stack);
        return before == null ? stack : before;
    }

    private Frame frame(String type, String method) {
        return frames.computeIfAbsent(type + "." + method, name -> Frame.of(type, method));
    }

    /** Returns the name of a type in Java syntax, such as {@code byte[]} for {@code [B}. */
    private static String typeName(String name) {
        if (!name.startsWith("[")) {
            return name;
        }
        try {
            return ClassDesc.ofDescriptor(name.replace('.', '/')).displayName();
        } catch (IllegalArgumentException e) {
            return name;
        }
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * 1_000_000_000 + at.getNano();
    }
}
