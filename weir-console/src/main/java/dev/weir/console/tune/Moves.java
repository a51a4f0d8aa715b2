package dev.weir.console.tune;

import dev.weir.console.tune.TuneReading.Control;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.StageTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the next change to try. The control that last helped comes first, then controls that may relieve the limiter,
 * alternative code, and all other controls. Failed trials are remembered. Confined to the tuning thread.
 */
final class Moves {

    static final String WINDOW = "source.maxOutstandingRecords";
    static final String BYTES = "source.bufferBytes";
    /** Prefix of the keys that switch a stage to its alternative code (1) or its original code (0). */
    static final String ALTERNATIVE = "alternative.";

    private static final String STAGE = "stage.";
    private static final String PARALLELISM = ".parallelism";
    private static final String DISPATCHER = "dispatcher.";
    private static final String SIZE = ".size";

    /** Lever of a move that raises the workers of all parallel stages. */
    private static final String ALL = "all";

    private static final String SAVING = " saving";

    /** Smallest last step, as a factor, after which a value in between is worth a try. */
    private static final double WORTH_SAVING = 1.5;

    private static final double DOUBLE = 2;
    private static final double MOST_FACTOR = 8;

    /** After a gain of at least this size, the next step with the same lever is twice as large. */
    private static final double BIG_GAIN = 1.5;

    /** A step to more workers than this at most doubles the number of workers. */
    private static final double FEW_WORKERS = 16;

    /** Smallest increase, as a factor, worth a trial after the guard has rejected a larger one. */
    private static final double WORTH_HALVING = 1.2;

    /** If the gain is below this fraction of the step's size, a smaller step may be enough. */
    private static final double LINEAR = 0.8;

    private final Set<String> raisedAnyway;

    /** Maximum number of workers of a stage, and of threads of a dispatcher. */
    private final int maxWorkers;

    private boolean bounded;

    /** Factor of the smallest step without a gain at the current settings, by lever. */
    private final Map<String, Double> failed = new HashMap<>();

    /** Values at which the guard intervened, by key. They are never tried again. */
    private final Map<String, Long> guarded = new HashMap<>();

    /** Value before the last step, for controls whose last step may have been too large. */
    private final Map<String, Long> tooFar = new LinkedHashMap<>();

    private final Set<String> slower = new HashSet<>();
    private final Map<String, Double> momentum = new HashMap<>();

    /** @param raisedAnyway stages with a single worker that may get more; others keep it */
    Moves(Set<String> raisedAnyway, int maxWorkers) {
        this.raisedAnyway = Set.copyOf(raisedAnyway);
        this.maxWorkers = maxWorkers;
    }

    /** Returns whether the maximum number of workers has limited a move. */
    boolean isBounded() {
        return bounded;
    }

    /** Records an accepted move, and forgets failed trials, which may now succeed. */
    void accepted(Move move, double gain, TuneReading before) {
        if (move.saves()) {
            return;
        }
        boolean all = move.lever().equals(ALL);
        move.settings().forEach((key, value) -> {
            Control control = before.controls().get(key);
            if (control != null && value > control.value() && (all || gain < move.factor() * LINEAR)) {
                tooFar.put(key, control.value());
            } else {
                tooFar.remove(key);
            }
        });
        failed.clear();
        slower.clear();
        momentum.clear();
        momentum.put(move.lever(), gain >= BIG_GAIN ? 2 * DOUBLE : DOUBLE);
    }

    void inVain(Move move, boolean wasSlower) {
        failed.merge(move.lever(), move.factor(), Math::min);
        if (wasSlower) {
            slower.add(move.lever());
        }
    }

    void guarded(Move move, TuneReading before) {
        inVain(move, false);
        move.settings().forEach((key, value) -> {
            Control control = before.controls().get(key);
            if (control != null && value > control.value()) {
                guarded.merge(key, value, Math::min);
            }
        });
    }

    /** Forgets that the guard stopped a move, because the move did not cause the fault. */
    void pardoned(Move move) {
        failed.remove(move.lever());
        move.settings().forEach((key, value) -> {
            boolean ignored = guarded.remove(key, value);
        });
    }

    /** Returns the next change to try; null if all were tried. */
    @Nullable
    Move next(TuneReading now) {
        for (Control control : ordered(now)) {
            Move move = raise(control, now);
            if (move != null) {
                return move;
            }
        }
        Move together = raiseAll(now);
        if (together != null) {
            return together;
        }
        Move lower = lower(now);
        return lower != null ? lower : save(now);
    }

    /** Returns a move halfway back for a control whose last step may have been too large; null if there is none. */
    private @Nullable Move save(TuneReading now) {
        for (String key : List.copyOf(tooFar.keySet())) {
            Control control = now.controls().get(key);
            long from = tooFar.getOrDefault(key, 0L);
            long value = control == null ? 0 : (long) Math.ceil(Math.sqrt((double) from * control.value()));
            if (control == null
                    || !isOfStage(control)
                    || failed.containsKey(key + SAVING)
                    || value >= control.value()
                    || control.value() < WORTH_SAVING * from) {
                tooFar.remove(key);
                continue;
            }
            Map<String, Long> settings = Map.of(key, value);
            return new Move(key + SAVING, settings, change(settings, now), 1, DOUBLE, true);
        }
        return null;
    }

    private List<Control> ordered(TuneReading now) {
        Set<Control> ordered = new LinkedHashSet<>();
        Limiter limiter = now.limiter();
        // First the controls that have just helped.
        List<String> keys = new ArrayList<>(momentum.keySet());
        keys.addAll(keysOf(limiter, now));
        for (String key : keys) {
            Control control = now.controls().get(key);
            if (control != null) {
                ordered.add(control);
            }
        }
        // Alternative code helps on any machine, so it comes before more threads.
        now.controls().values().stream()
                .filter(control -> control.key().startsWith(ALTERNATIVE))
                .sorted(Comparator.comparingDouble((Control control) -> -work(control, limiter)))
                .forEach(ordered::add);
        List<String> stages = List.copyOf(now.counts().keySet());
        int limiting = limiter == null ? -1 : stages.indexOf(limiter.name());
        int from = limiting >= 0 ? limiting : stages.size() - 1;
        now.controls().values().stream()
                .filter(Moves::isOfStage)
                .sorted(Comparator.comparingInt(control -> Math.abs(stages.indexOf(stageOf(control)) - from)))
                .forEach(ordered::add);
        now.controls().values().stream()
                .filter(control -> control.key().startsWith(DISPATCHER))
                .forEach(ordered::add);
        for (String key : List.of(WINDOW, BYTES)) {
            Control control = now.controls().get(key);
            if (control != null) {
                ordered.add(control);
            }
        }
        return List.copyOf(ordered);
    }

    /** Returns the keys of controls that may relieve the limiter. */
    private static List<String> keysOf(@Nullable Limiter limiter, TuneReading now) {
        if (limiter == null) {
            return List.of();
        }
        return switch (limiter.kind()) {
            case WINDOW, ONE_PARTITION -> List.of(WINDOW, BYTES);
            case BYTE_BUDGET -> List.of(BYTES, WINDOW);
            case DISPATCHER -> List.of(DISPATCHER + limiter.name() + SIZE);
            case STAGE_CPU, STAGE_WAIT, KEY_SKEW -> {
                List<String> keys =
                        new ArrayList<>(List.of(ALTERNATIVE + limiter.name(), STAGE + limiter.name() + PARALLELISM));
                Control stage = now.controls().get(keys.getLast());
                if (stage != null && stage.dispatcher() != null) {
                    keys.add(DISPATCHER + stage.dispatcher() + SIZE);
                }
                yield keys;
            }
            default -> List.of();
        };
    }

    /** Returns the average number of working threads in the stage of the alternative code; 0 if unknown. */
    private static double work(Control alternative, @Nullable Limiter limiter) {
        StageTime time =
                limiter == null ? null : limiter.stage(alternative.key().substring(ALTERNATIVE.length()));
        return time == null ? 0 : time.working() * time.threads();
    }

    private static boolean isOfStage(Control control) {
        return control.key().startsWith(STAGE) && control.key().endsWith(PARALLELISM);
    }

    private static String stageOf(Control control) {
        return control.key().substring(STAGE.length(), control.key().length() - PARALLELISM.length());
    }

    /**
     * Returns whether the control is the worker count of a stage that must keep its single worker. More workers could
     * reorder elements, and the stage's function may not be thread-safe.
     */
    private boolean mustStay(Control control) {
        return isOfStage(control) && control.value() == 1 && !raisedAnyway.contains(stageOf(control));
    }

    /** Returns the stages that keep their single worker. */
    List<String> leftAlone(TuneReading now) {
        return now.controls().values().stream()
                .filter(this::mustStay)
                .map(Moves::stageOf)
                .toList();
    }

    private @Nullable Move raise(Control control, TuneReading now) {
        double least = failed.getOrDefault(control.key(), Double.POSITIVE_INFINITY);
        if (mustStay(control) || least <= DOUBLE) {
            return null;
        }
        double promised = promised(control, now.limiter());
        double wanted = Math.clamp(promised, DOUBLE, MOST_FACTOR);
        double factor = least <= MOST_FACTOR ? DOUBLE : Math.max(wanted, momentum.getOrDefault(control.key(), DOUBLE));
        if (isOfStage(control)) {
            factor = Math.min(factor, Math.max(DOUBLE, FEW_WORKERS / control.value()));
        }
        Map<String, Long> settings = raised(List.of(control), factor, now);
        if (settings.isEmpty()) {
            return null;
        }
        return new Move(control.key(), settings, change(settings, now), Math.clamp(promised, 1, factor), factor, false);
    }

    private static double promised(Control control, @Nullable Limiter limiter) {
        if (limiter == null) {
            return 1;
        }
        boolean names = control.key().equals(STAGE + limiter.name() + PARALLELISM)
                || control.key().equals(DISPATCHER + limiter.name() + SIZE);
        boolean isWindow =
                limiter.kind() == Limiter.Kind.WINDOW && control.key().equals(WINDOW);
        boolean isBudget =
                limiter.kind() == Limiter.Kind.BYTE_BUDGET && control.key().equals(BYTES);
        return names || isWindow || isBudget ? limiter.expectedGain() : 1;
    }

    /** Returns a move that raises all parallel stages; null if there is none. */
    private @Nullable Move raiseAll(TuneReading now) {
        List<Control> stages = now.controls().values().stream()
                .filter(control -> isOfStage(control) && !mustStay(control))
                .toList();
        if (stages.size() < 2 || failed.containsKey(ALL)) {
            return null;
        }
        Map<String, Long> settings = raised(stages, DOUBLE, now);
        return settings.size() < 2 ? null : new Move(ALL, settings, change(settings, now), 1, DOUBLE, false);
    }

    /** Returns a move that lowers a control whose increase slowed the pipeline down; null if there is none. */
    private @Nullable Move lower(TuneReading now) {
        for (String key : slower) {
            Control control = now.controls().get(key);
            String lever = key + " down";
            if (control != null && !failed.containsKey(lever) && control.value() / 2 >= Math.max(1, control.min())) {
                Map<String, Long> settings = Map.of(key, control.value() / 2);
                return new Move(lever, settings, change(settings, now), 1, DOUBLE, false);
            }
        }
        return null;
    }

    /** Returns settings that raise controls by a factor, with their dispatchers; empty if none can be raised. */
    private Map<String, Long> raised(List<Control> controls, double factor, TuneReading now) {
        Map<String, Long> settings = new LinkedHashMap<>();
        for (Control control : controls) {
            long wanted =
                    withinMost(control, Math.max(control.value() + 1, (long) Math.ceil(control.value() * factor)));
            Control bound =
                    control.dispatcher() == null ? null : now.controls().get(DISPATCHER + control.dispatcher() + SIZE);
            // A control limited by its dispatcher's size has no other known maximum, so raise the dispatcher too.
            long most = bound != null && control.max() <= bound.value() ? wanted : control.max();
            long value = Math.min(Math.min(wanted, most), belowGuarded(control));
            if (value <= control.value()) {
                continue;
            }
            if (bound != null) {
                long size = withinMost(bound, threadsFor(control, value, settings, now) + bound.min() - 1);
                if (size > bound.value()) {
                    long allowed = Math.min(bound.max(), guarded.getOrDefault(bound.key(), Long.MAX_VALUE) - 1);
                    if (allowed < value) {
                        continue;
                    }
                    settings.put(bound.key(), Math.min(size, allowed));
                }
            }
            // Changes are applied in this order: the dispatcher before its control.
            settings.put(control.key(), value);
        }
        return settings;
    }

    private long withinMost(Control control, long wanted) {
        boolean countsWorkers = isOfStage(control) || control.key().startsWith(DISPATCHER);
        if (!countsWorkers || wanted <= maxWorkers) {
            return wanted;
        }
        bounded = true;
        return maxWorkers;
    }

    /**
     * Returns a value halfway to the value at which the guard intervened, or the current value if that is close. {@link
     * Long#MAX_VALUE} if the guard has not intervened.
     */
    private long belowGuarded(Control control) {
        Long refused = guarded.get(control.key());
        if (refused == null) {
            return Long.MAX_VALUE;
        }
        long value = (long) Math.sqrt((double) control.value() * refused);
        return value < WORTH_HALVING * control.value() ? control.value() : value;
    }

    /** Returns the threads that all stages of a dispatcher use if the given stage has that many workers. */
    private static long threadsFor(Control stage, long workers, Map<String, Long> settings, TuneReading now) {
        long threads = workers;
        for (Control other : now.controls().values()) {
            if (!other.key().equals(stage.key())
                    && other.dispatcher() != null
                    && other.dispatcher().equals(stage.dispatcher())) {
                threads += settings.getOrDefault(other.key(), other.value());
            }
        }
        return threads;
    }

    private static String change(Map<String, Long> settings, TuneReading now) {
        List<String> changes = new ArrayList<>();
        settings.forEach((key, value) -> {
            Control before = now.controls().get(key);
            changes.add(key + " " + (before == null ? "?" : before.value()) + " -> " + value);
        });
        return String.join(", ", changes);
    }
}
