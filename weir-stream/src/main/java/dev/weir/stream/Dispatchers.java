package dev.weir.stream;

import dev.weir.stream.internal.config.DispatcherFile;
import dev.weir.stream.internal.run.ArgumentChecks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A registry of dispatchers by name, created in code or from a configuration file. Thread-safe; its creator closes it,
 * after the pipelines that use it have ended.
 *
 * <p>The file is a Java properties file, described in {@code docs/reference/dispatchers.md}:
 *
 * <pre>
 *   dispatcher.cpu.kind=fixed
 *   dispatcher.cpu.size=4
 * </pre>
 */
public final class Dispatchers implements AutoCloseable {

    private final Map<String, Dispatcher> byName;

    private Dispatchers(Map<String, Dispatcher> byName) {
        this.byName = byName;
    }

    /** Creates a registry of existing dispatchers. Closing the registry closes them. */
    public static Dispatchers of(Dispatcher... dispatchers) {
        return of(ArgumentChecks.list("dispatchers", dispatchers));
    }

    private static Dispatchers of(Collection<Dispatcher> dispatchers) {
        Map<String, Dispatcher> byName = new LinkedHashMap<>();
        for (Dispatcher dispatcher : dispatchers) {
            if (byName.put(dispatcher.name(), dispatcher) != null) {
                throw new IllegalArgumentException("two dispatchers are named " + dispatcher.name());
            }
        }
        return new Dispatchers(byName);
    }

    /** Loads the dispatchers defined in a file. Environment variables of this process override settings in the file. */
    public static Dispatchers load(Path file) throws IOException {
        return load(file, System.getenv());
    }

    /**
     * Loads the dispatchers defined in a file.
     *
     * @param environment variables that override the file: {@code WEIR_DISPATCHER_CPU_SIZE} overrides
     *     {@code dispatcher.cpu.size}; other variables are ignored
     * @throws IllegalArgumentException if a key is unknown or a value is invalid; the message names the file and line,
     *     or the variable
     */
    public static Dispatchers load(Path file, Map<String, String> environment) throws IOException {
        Objects.requireNonNull(environment, "environment");
        return parse(file.toString(), Files.readString(file, StandardCharsets.UTF_8), environment);
    }

    /**
     * Creates dispatchers from the text of a file.
     *
     * @param fileName the file's name in error messages
     */
    public static Dispatchers parse(String fileName, String text, Map<String, String> environment) {
        Objects.requireNonNull(fileName, "fileName");
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(environment, "environment");
        return of(DispatcherFile.read(fileName, text, environment));
    }

    /**
     * Returns the dispatcher with this name.
     *
     * @throws IllegalArgumentException if there is no such dispatcher
     */
    public Dispatcher get(String name) {
        Dispatcher found = byName.get(Objects.requireNonNull(name, "name"));
        if (found == null) {
            throw new IllegalArgumentException(
                    "no dispatcher is named " + name + DispatcherFile.suggestion(name, byName.keySet()));
        }
        return found;
    }

    /** The names, in the order in which the dispatchers appear in the file or were given to {@link #of}. */
    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    /** The counters of each dispatcher, in the same order as {@link #names}. */
    public List<DispatcherSnapshot> snapshots() {
        return byName.values().stream().map(Dispatcher::snapshot).toList();
    }

    /** Closes each dispatcher: tasks that were already submitted may finish; new tasks are refused. */
    @Override
    public void close() {
        byName.values().forEach(Dispatcher::close);
    }
}
