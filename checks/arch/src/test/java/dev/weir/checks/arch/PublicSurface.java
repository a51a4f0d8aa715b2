package dev.weir.checks.arch;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The public surface of a module as sorted text: a line for each public type outside internal packages, and for each
 * public and protected member. Contains only static methods.
 */
final class PublicSurface {

    private static final Pattern PACKAGE = Pattern.compile("\\b(?:[a-z][a-z0-9_]*\\.)+(?=[A-Z])");

    private PublicSurface() {}

    static String of(WeirModule module) {
        return module.mainClasses().stream()
                .filter(PublicSurface::isSeen)
                .map(JavaClass::reflect)
                .filter(PublicSurface::isNestedInPublic)
                .sorted(Comparator.comparing(Class::getName))
                .map(PublicSurface::text)
                .collect(Collectors.joining("\n"));
    }

    private static boolean isSeen(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !(type.getPackageName() + ".").contains(".internal.")
                && !type.isAnonymousClass()
                && !type.isLocalClass();
    }

    private static boolean isNestedInPublic(Class<?> type) {
        return type.getDeclaringClass() == null
                || (Modifier.isPublic(type.getDeclaringClass().getModifiers())
                        && isNestedInPublic(type.getDeclaringClass()));
    }

    private static String text(Class<?> type) {
        List<String> lines = new ArrayList<>();
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isVisible(constructor)) {
                lines.add(modifiers(constructor) + "new" + parameters(constructor));
            }
        }
        Stream.concat(inherited(type), Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> isVisible(method) && !method.isBridge() && !method.isSynthetic())
                .distinct()
                .forEach(method -> lines.add(method(method)));
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field)) {
                lines.add(modifiers(field) + name(field.getGenericType()) + " " + field.getName());
            }
        }
        return declaration(type) + "\n"
                + lines.stream()
                        .sorted()
                        .distinct()
                        .map(line -> "    " + line + "\n")
                        .collect(Collectors.joining());
    }

    /** Returns the methods that a type inherits from non-public types. */
    private static Stream<Method> inherited(Class<?> type) {
        Stream<Method> ofInterfaces = Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isPublic(method.getDeclaringClass().getModifiers()));
        Class<?> above = type.getSuperclass();
        return above == null || Modifier.isPublic(above.getModifiers())
                ? ofInterfaces
                : Stream.of(ofInterfaces, Arrays.stream(above.getDeclaredMethods()), inherited(above))
                        .flatMap(methods -> methods);
    }

    private static boolean isVisible(Member member) {
        boolean inherited = Modifier.isFinal(member.getDeclaringClass().getModifiers());
        return !member.isSynthetic()
                && (Modifier.isPublic(member.getModifiers())
                        || (Modifier.isProtected(member.getModifiers()) && !inherited));
    }

    private static String declaration(Class<?> type) {
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isRecord() ? "record" : type.isEnum() ? "enum" : "class";
        String shape = (type.isSealed() ? "sealed " : "")
                + (kind.equals("class") && Modifier.isAbstract(type.getModifiers()) ? "abstract " : "")
                + (kind.equals("class") && Modifier.isFinal(type.getModifiers()) ? "final " : "");
        String components = type.isRecord()
                ? Arrays.stream(Objects.requireNonNull(type.getRecordComponents()))
                        .map(PublicSurface::component)
                        .collect(Collectors.joining(", ", "(", ")"))
                : "";
        Type above = type.getGenericSuperclass();
        boolean saysNothing = above == null
                || type.isRecord()
                || type.isEnum()
                || above == Object.class
                || (above instanceof Class<?> known && !Modifier.isPublic(known.getModifiers()));
        List<String> interfaces = Arrays.stream(type.getGenericInterfaces())
                .map(PublicSurface::name)
                .sorted()
                .toList();
        return shape + kind + " " + type.getName() + variables(type.getTypeParameters()) + components
                + (saysNothing ? "" : " extends " + name(above))
                + (interfaces.isEmpty() ? "" : " : " + String.join(", ", interfaces));
    }

    private static String component(RecordComponent component) {
        return name(component.getGenericType()) + " " + component.getName();
    }

    private static String method(Method method) {
        String thrown = Arrays.stream(method.getGenericExceptionTypes())
                .map(PublicSurface::name)
                .sorted()
                .collect(Collectors.joining(", "));
        String variables = variables(method.getTypeParameters());
        return modifiers(method) + (variables.isEmpty() ? "" : variables + " ") + name(method.getGenericReturnType())
                + " " + method.getName() + parameters(method) + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String modifiers(Member member) {
        int modifiers = member.getModifiers();
        boolean inInterface = member.getDeclaringClass().isInterface();
        return (Modifier.isProtected(modifiers) ? "protected " : "")
                + (Modifier.isStatic(modifiers) ? "static " : "")
                + (member instanceof Method && !inInterface && Modifier.isAbstract(modifiers) ? "abstract " : "")
                + (member instanceof Method method && method.isDefault() ? "default " : "");
    }

    private static String parameters(Executable executable) {
        Parameter[] parameters = executable.getParameters();
        Type[] types = executable.getGenericParameterTypes();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < parameters.length; i++) {
            Type type = types.length == parameters.length ? types[i] : parameters[i].getType();
            texts.add(name(type));
        }
        return "(" + String.join(", ", texts) + ")";
    }

    private static String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables).map(PublicSurface::variable).collect(Collectors.joining(", ", "<", ">"));
    }

    private static String variable(TypeVariable<?> variable) {
        String bounds = Arrays.stream(variable.getBounds())
                .filter(bound -> bound != Object.class)
                .map(PublicSurface::name)
                .collect(Collectors.joining(" & "));
        return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }

    /** Returns the simple name of a type. Its own line shows the package. */
    private static String name(Type type) {
        return PACKAGE.matcher(type.getTypeName()).replaceAll("").replace('$', '.');
    }
}
