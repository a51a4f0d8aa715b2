package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.environment.BenchFolder;
import dev.weir.bench.workload.Spelling;
import dev.weir.driver.Driver;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

/**
 * The available drivers. Immutable.
 *
 * <p>In a checkout, each built folder below {@code drivers/} can contain drivers. Such a folder has a class path in
 * {@code target/driver.classpath} and a {@code weir-driver.properties} file among its classes. In the unpacked archive,
 * each jar in {@code drivers/} with such a file contains drivers. The manifest of the jar lists its dependencies.
 */
public final class DriverCatalog {
    private static final String DESCRIPTION = "weir-driver.properties";
    private static final String CLASSES = "target/classes";
    private static final String CLASS_PATH = "target/driver.classpath";

    private final Path root;
    private final Map<String, Entry> entries;
    private final boolean ofArchive;

    private DriverCatalog(Path root, Map<String, Entry> entries, boolean ofArchive) {
        this.root = root;
        this.entries = entries;
        this.ofArchive = ofArchive;
    }

    /**
     * Describes how a driver is started.
     *
     * @param library prefix of the name of the library's jar, whose version is reported
     * @param coordinates group and artifact of the library's jar, for downloading other versions; empty if no other
     *     versions are available
     * @param speaksPlaintextOnly whether the driver cannot connect to brokers that require TLS or SASL
     * @param joinsNoGroup whether each process of the driver reads all partitions, regardless of the number of
     *     processes
     * @param repair advice for the user if a file or folder of the class path is missing
     */
    public record Entry(
            String mainClass,
            String classPath,
            String library,
            String coordinates,
            boolean speaksPlaintextOnly,
            boolean joinsNoGroup,
            String repair) {}

    /** An empty catalog. */
    public static DriverCatalog none() {
        return new DriverCatalog(Path.of(""), Map.of(), false);
    }

    /** The drivers of a checkout of Weir, or of its unpacked archive. */
    public static DriverCatalog below(Path root) {
        Map<String, Entry> entries = new TreeMap<>();
        boolean ofArchive = false;
        Path drivers = BenchFolder.in(root).resolve("drivers");
        if (Files.isDirectory(drivers)) {
            try (DirectoryStream<Path> modules = Files.newDirectoryStream(drivers)) {
                for (Path module : modules) {
                    if (module.toString().endsWith(".jar")) {
                        addJar(module, entries);
                        ofArchive = true;
                    } else if (Files.isRegularFile(module.resolve(CLASSES).resolve(DESCRIPTION))
                            && Files.isRegularFile(module.resolve(CLASS_PATH))) {
                        addBuilt(module, entries);
                    }
                }
            } catch (IOException e) {
                throw new BenchException("cannot read the drivers below " + drivers + ": " + e, e);
            }
        }
        if (entries.isEmpty()) {
            throw new BenchException("no driver is built below " + drivers + ": start the command through ./weir");
        }
        return new DriverCatalog(root, entries, ofArchive);
    }

    private static void addBuilt(Path module, Map<String, Entry> entries) throws IOException {
        Properties description = new Properties();
        try (Reader in = Files.newBufferedReader(module.resolve(CLASSES).resolve(DESCRIPTION))) {
            description.load(in);
        }
        String classPath = module.resolve(CLASSES)
                + File.pathSeparator
                + Files.readString(module.resolve(CLASS_PATH)).strip();
        String repair =
                "delete " + module.resolve("target") + " and start the command through ./weir, which builds it again";
        add(description, classPath, repair, entries);
    }

    /** Adds the drivers of a jar that has a description. */
    private static void addJar(Path file, Map<String, Entry> entries) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            ZipEntry found = jar.getEntry(DESCRIPTION);
            if (found == null) {
                return;
            }
            Properties description = new Properties();
            try (Reader in = new InputStreamReader(jar.getInputStream(found), StandardCharsets.UTF_8)) {
                description.load(in);
            }
            Manifest manifest = jar.getManifest();
            String needs =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            StringBuilder classPath = new StringBuilder(file.toString());
            for (String name : needs == null ? List.<String>of() : List.of(needs.split(" ", -1))) {
                classPath
                        .append(File.pathSeparator)
                        .append(Path.of(file.toUri().resolve(name)).normalize());
            }
            add(description, classPath.toString(), "unpack the archive of Weir again", entries);
        }
    }

    private static void add(Properties description, String classPath, String repair, Map<String, Entry> entries) {
        List<String> plaintext = names(description, "plaintext");
        List<String> groupless = names(description, "groupless");
        for (String name : names(description, "drivers")) {
            Entry entry = new Entry(
                    description.getProperty("main", ""),
                    classPath,
                    description.getProperty("library", ""),
                    description.getProperty("coordinates", ""),
                    plaintext.contains(name),
                    groupless.contains(name),
                    repair);
            entries.put(name, entry);
        }
    }

    private static List<String> names(Properties description, String key) {
        return List.of(description.getProperty(key, "").split(",\\s*", -1));
    }

    Path root() {
        return root;
    }

    /**
     * Returns the driver of that name. A name with a version, for example {@code plain@2.4.0}, means the same driver
     * with another version of its library's jar. The library's dependencies do not change.
     *
     * @throws BenchException if there is no such driver, or if a part of its class path is missing
     */
    public Entry entry(String driver) {
        Entry entry = entries.get(Driver.baseName(driver));
        if (entry == null) {
            String others = ofArchive
                    ? " (those of other libraries are in a checkout of Weir, not in its archive: --drivers leaves them out)"
                    : "";
            throw new BenchException(
                    "there is no driver " + driver + Spelling.hint(Driver.baseName(driver), entries.keySet()) + others);
        }
        for (String place : entry.classPath().split(File.pathSeparator, -1)) {
            if (!Files.exists(Path.of(place))) {
                throw new BenchException(
                        "driver " + driver + " needs " + place + ", which is not there: " + entry.repair());
            }
        }
        return driver.indexOf(Driver.VERSION) < 0 ? entry : withVersion(driver, entry);
    }

    private Entry withVersion(String driver, Entry entry) {
        String coordinates = entry.coordinates();
        if (coordinates.isEmpty()) {
            throw new BenchException("driver " + driver + ": " + Driver.baseName(driver)
                    + " has no other versions, since its library is on no repository");
        }
        Path other = new LibraryVersions(root).jar(driver, coordinates, Driver.version(driver));
        Pattern ownName =
                Pattern.compile(Pattern.quote(coordinates.substring(coordinates.indexOf(':') + 1)) + "-\\d.*\\.jar");
        List<String> places = new ArrayList<>(List.of(entry.classPath().split(File.pathSeparator, -1)));
        places.replaceAll(place ->
                ownName.matcher(String.valueOf(Path.of(place).getFileName())).matches() ? other.toString() : place);
        if (!places.contains(other.toString())) {
            throw new BenchException("driver " + driver + " has no jar of " + coordinates
                    + " on its class path that could be exchanged");
        }
        return new Entry(
                entry.mainClass(),
                String.join(File.pathSeparator, places),
                entry.library(),
                coordinates,
                entry.speaksPlaintextOnly(),
                entry.joinsNoGroup(),
                entry.repair());
    }
}
