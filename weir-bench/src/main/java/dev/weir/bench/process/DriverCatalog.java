package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.workload.Spelling;
import dev.weir.driver.Driver;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The drivers that were built: each folder below {@code drivers/} with a class path in {@code target/driver.classpath} and a
 * {@code weir-driver.properties} among its classes. Immutable.
 */
public final class DriverCatalog {
    private static final String DESCRIPTION = "target/classes/weir-driver.properties";
    private static final String CLASS_PATH = "target/driver.classpath";

    private final Map<String, Entry> entries;

    private DriverCatalog(Map<String, Entry> entries) {
        this.entries = entries;
    }

    /**
     * How to start a driver.
     *
     * @param library begin of the name of the jar whose version counts
     * @param speaksPlaintextOnly whether it reaches no broker that asks for TLS or SASL
     * @param target what was built
     */
    public record Entry(String mainClass, String classPath, String library, boolean speaksPlaintextOnly, Path target) {}

    /** The drivers of a checkout of Weir. */
    public static DriverCatalog ofCheckout(Path root) {
        Map<String, Entry> entries = new TreeMap<>();
        Path drivers = root.resolve("drivers");
        if (Files.isDirectory(drivers)) {
            try (DirectoryStream<Path> modules = Files.newDirectoryStream(drivers)) {
                for (Path module : modules) {
                    if (Files.isRegularFile(module.resolve(DESCRIPTION))
                            && Files.isRegularFile(module.resolve(CLASS_PATH))) {
                        add(module, entries);
                    }
                }
            } catch (IOException e) {
                throw new BenchException("cannot read the drivers below " + drivers + ": " + e, e);
            }
        }
        if (entries.isEmpty()) {
            throw new BenchException("no driver is built below " + drivers + ": start the command through ./weir");
        }
        return new DriverCatalog(entries);
    }

    private static void add(Path module, Map<String, Entry> entries) throws IOException {
        Properties description = new Properties();
        try (Reader in = Files.newBufferedReader(module.resolve(DESCRIPTION))) {
            description.load(in);
        }
        String classPath = module.resolve("target/classes")
                + File.pathSeparator
                + Files.readString(module.resolve(CLASS_PATH)).strip();
        List<String> plaintext = names(description, "plaintext");
        for (String name : names(description, "drivers")) {
            Entry entry = new Entry(
                    description.getProperty("main", ""),
                    classPath,
                    description.getProperty("library", ""),
                    plaintext.contains(name),
                    module.resolve("target"));
            entries.put(name, entry);
        }
    }

    private static List<String> names(Properties description, String key) {
        return List.of(description.getProperty(key, "").split(",\\s*", -1));
    }

    public Entry entry(String driver) {
        Entry entry = entries.get(Driver.withoutDefaults(driver));
        if (entry == null) {
            throw new BenchException("there is no driver " + driver + Spelling.hint(driver, entries.keySet()));
        }
        for (String place : entry.classPath().split(File.pathSeparator, -1)) {
            if (!Files.exists(Path.of(place))) {
                throw new BenchException("driver " + driver + " needs " + place + ", which is not there: delete "
                        + entry.target() + " and start the command through ./weir, which builds it again");
            }
        }
        return entry;
    }
}
