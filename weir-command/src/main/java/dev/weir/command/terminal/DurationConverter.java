package dev.weir.command.terminal;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts {@code 50us}, {@code 5ms}, {@code 1.5s}, {@code 2m} or {@code 1h} to a {@link Duration}. Stateless. */
public final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        Duration duration = parse(text);
        if (duration == null) {
            throw new TypeConversionException(
                    "'" + text + "' is not a duration: a number with ns, us, ms, s, m or h, for example 5ms");
        }
        return duration;
    }

    /** Returns the duration, or null if the text has another form. */
    public static @Nullable Duration parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * nanosPer(matcher.group(2))));
    }

    private static double nanosPer(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "us" -> 1e3;
            case "ms" -> 1e6;
            case "s" -> 1e9;
            case "m" -> 60e9;
            default -> 3600e9;
        };
    }
}
