-- Every object of the schema as rows: whether it belongs to the installation rather than to the migrations, the object,
-- the name of one of its properties, and its value. Run it with the search path `pg_catalog`, so that names are whole.
-- What differs between major versions for no reason is left out, such as NOT NULL as a constraint of its own.
WITH owner AS MATERIALIZED (
    SELECT (SELECT relowner FROM pg_class WHERE oid = to_regclass('public.events_event')) AS id
), role AS MATERIALIZED (
    SELECT pg_roles.oid, rolname::text AS own_name,
           CASE WHEN pg_roles.oid = owner.id THEN '{owner}' WHEN rolname = %(app)s THEN '{app}' ELSE rolname::text END
               AS name
      FROM pg_roles CROSS JOIN owner
    UNION ALL SELECT 0, 'PUBLIC', 'PUBLIC'
), member AS MATERIALIZED (
    SELECT classid, objid, refobjid AS extension FROM pg_depend WHERE deptype = 'e'
), relation AS MATERIALIZED (
    SELECT pg_class.*, kind || ' ' || relname AS object
      FROM pg_class JOIN (VALUES
          ('r', 'table'), ('p', 'table'), ('v', 'view'), ('m', 'materialized view'), ('f', 'foreign table'),
          ('S', 'sequence'), ('c', 'composite type')
      ) AS kinds (letter, kind) ON letter = relkind::text
     WHERE relnamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM member WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid)
), routine AS MATERIALIZED (
    SELECT pg_proc.*, 'function ' || replace(oid::regprocedure::text, 'public.', '') AS object
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM member WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid)
), own_type AS MATERIALIZED (
    SELECT pg_type.*, 'type ' || typname AS object
      FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('b', 'd', 'e', 'm', 'r')
       AND NOT EXISTS (SELECT FROM pg_type AS element WHERE element.typarray = pg_type.oid)
       AND NOT EXISTS (SELECT FROM member WHERE classid = 'pg_type'::regclass AND objid = pg_type.oid)
), privilege AS MATERIALIZED (
    SELECT object, '' AS columns, relowner AS owner, acl.*
      FROM relation CROSS JOIN LATERAL aclexplode(relacl) AS acl
    UNION ALL
    SELECT object, ' (' || attname || ')', relowner, acl.*
      FROM relation JOIN pg_attribute ON attrelid = relation.oid AND NOT attisdropped
     CROSS JOIN LATERAL aclexplode(attacl) AS acl
    UNION ALL
    SELECT object, '', proowner, acl.*
      FROM routine CROSS JOIN LATERAL aclexplode(coalesce(proacl, acldefault('f', proowner))) AS acl
    UNION ALL
    SELECT 'schema public', '', nspowner, acl.*
      FROM pg_namespace CROSS JOIN LATERAL aclexplode(nspacl) AS acl WHERE nspname = 'public'
    UNION ALL
    SELECT 'default privileges of ' || role.name || ' in ' || coalesce(nspname::text, 'every schema'),
           ' on ' || defaclobjtype::text, defaclrole, acl.*
      FROM pg_default_acl JOIN role ON role.oid = defaclrole
      LEFT JOIN pg_namespace ON pg_namespace.oid = defaclnamespace
     CROSS JOIN LATERAL aclexplode(defaclacl) AS acl
), given AS MATERIALIZED (
    SELECT object, role.name, owner.id = grantee AS is_owners,
           privilege_type = 'SELECT' AND role.name <> '{app}' AND NOT is_grantable AS reads_only,
           privilege_type || columns || CASE WHEN is_grantable THEN ' with grant option' ELSE '' END AS allowed
      FROM privilege JOIN role ON role.oid = grantee CROSS JOIN owner
     WHERE grantee <> privilege.owner
), described AS (
    SELECT NOT described.migrated AS of_installation, object, name,
           regexp_replace(coalesce(value, ''), '\s+', ' ', 'g') AS value FROM (
        SELECT true, object, 'owner'::text, role.name FROM relation JOIN role ON role.oid = relowner
        UNION ALL SELECT true, object, 'persistence', relpersistence::text FROM relation WHERE relpersistence <> 'p'
        UNION ALL
        SELECT true, object, 'row security', CASE WHEN relforcerowsecurity THEN 'forced' ELSE 'on' END
          FROM relation WHERE relrowsecurity OR relforcerowsecurity
        UNION ALL
        SELECT true, object, 'part of ' || inhparent::regclass, pg_get_expr(relpartbound, relation.oid)
          FROM relation JOIN pg_inherits ON inhrelid = relation.oid
        UNION ALL SELECT true, object, 'partitioned', pg_get_partkeydef(oid) FROM relation WHERE relkind = 'p'
        UNION ALL SELECT true, object, 'query', pg_get_viewdef(oid) FROM relation WHERE relkind IN ('m', 'v')
        UNION ALL
        SELECT true, object, 'options', array_to_string(reloptions, ', ')
          FROM relation WHERE relkind IN ('m', 'v') AND reloptions IS NOT NULL
        UNION ALL
        SELECT true, object, 'column ' || attname, format_type(atttypid, atttypmod)
               || CASE WHEN attcollation IN (0, typcollation) THEN '' ELSE ' collate ' || attcollation::regcollation END
               || CASE WHEN attnotnull THEN ' not null' ELSE '' END
               || CASE attidentity WHEN 'a' THEN ' identity' WHEN 'd' THEN ' identity by default' ELSE '' END
               || CASE attgenerated WHEN '' THEN '' WHEN 's' THEN ' stored' ELSE ' virtual' END
               || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
          FROM relation JOIN pg_attribute ON attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
          JOIN pg_type ON pg_type.oid = atttypid
          LEFT JOIN pg_attrdef ON adrelid = relation.oid AND adnum = attnum
         WHERE relkind <> 'S'
        UNION ALL
        SELECT true, object, 'constraint ' || conname, pg_get_constraintdef(pg_constraint.oid)
          FROM relation JOIN pg_constraint ON conrelid = relation.oid AND contype NOT IN ('n', 't')
        UNION ALL
        SELECT true, object, 'constraint ' || conname || ' by trigger', tgenabled::text
          FROM relation JOIN pg_trigger ON tgrelid = relation.oid AND tgisinternal AND tgenabled <> 'O'
          JOIN pg_constraint ON pg_constraint.oid = tgconstraint
        UNION ALL
        SELECT true, object, 'index ' || own_index.relname,
               CASE WHEN indisvalid THEN pg_get_indexdef(indexrelid) ELSE 'not valid' END
          FROM relation JOIN pg_index ON indrelid = relation.oid JOIN pg_class AS own_index ON own_index.oid = indexrelid
          LEFT JOIN pg_constraint ON conindid = indexrelid AND conrelid = indrelid
         WHERE CASE WHEN pg_constraint.oid IS NULL THEN indisvalid ELSE NOT indisvalid END
        UNION ALL
        SELECT true, object, 'trigger ' || tgname, pg_get_triggerdef(pg_trigger.oid)
               || CASE tgenabled WHEN 'A' THEN ' always' WHEN 'D' THEN ' disabled' WHEN 'R' THEN ' on replicas' ELSE '' END
          FROM relation JOIN pg_trigger ON tgrelid = relation.oid AND NOT tgisinternal
        UNION ALL
        SELECT true, object, 'rule ' || rulename, pg_get_ruledef(pg_rewrite.oid) || ' ' || ev_enabled::text
          FROM relation JOIN pg_rewrite ON ev_class = relation.oid AND rulename <> '_RETURN'
        UNION ALL
        SELECT true, object, 'policy ' || polname, concat_ws(' ', polcmd, polpermissive, polroles::regrole[],
               pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
          FROM relation JOIN pg_policy ON polrelid = relation.oid
        UNION ALL
        SELECT true, object, 'numbers', concat_ws(' ', format_type(seqtypid, NULL), 'from', seqstart, 'by', seqincrement,
               'within', seqmin, seqmax, CASE WHEN seqcycle THEN 'again' END)
          FROM relation JOIN pg_sequence ON seqrelid = relation.oid
        UNION ALL
        SELECT true, object, 'owner', role.name FROM routine JOIN role ON role.oid = proowner
        UNION ALL
        SELECT true, object, 'kind', concat_ws(' ', prokind, lanname, 'returns', pg_get_function_result(routine.oid),
               provolatile, proparallel, CASE WHEN prosecdef THEN 'security definer' END,
               CASE WHEN proleakproof THEN 'leakproof' END, CASE WHEN proisstrict THEN 'strict' END)
          FROM routine JOIN pg_language ON pg_language.oid = prolang
        UNION ALL SELECT true, object, 'arguments', pg_get_function_arguments(oid) FROM routine WHERE pronargs > 0
        UNION ALL SELECT true, object, 'settings', array_to_string(proconfig, ', ') FROM routine WHERE proconfig <> '{}'
        UNION ALL
        SELECT true, object, 'body', encode(sha256(convert_to(
               concat_ws(' ', prosrc, probin, pg_get_function_sqlbody(oid)), 'UTF8')), 'hex')
          FROM routine
        UNION ALL SELECT true, object, 'owner', role.name FROM own_type JOIN role ON role.oid = typowner
        UNION ALL
        SELECT true, object, 'kind', concat_ws(' ', typtype, format_type(nullif(typbasetype, 0), typtypmod),
               CASE WHEN typnotnull THEN 'not null' END, typdefault,
               (SELECT string_agg(enumlabel, ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = own_type.oid))
          FROM own_type
        UNION ALL
        SELECT true, object, 'constraint ' || conname, pg_get_constraintdef(pg_constraint.oid)
          FROM own_type JOIN pg_constraint ON contypid = own_type.oid AND contype <> 'n'
        UNION ALL
        SELECT true, type || ' ' || identity, 'there', 'yes'
          FROM (
              SELECT tableoid, oid FROM pg_operator UNION ALL SELECT tableoid, oid FROM pg_cast
              UNION ALL SELECT tableoid, oid FROM pg_collation UNION ALL SELECT tableoid, oid FROM pg_conversion
              UNION ALL SELECT tableoid, oid FROM pg_opclass UNION ALL SELECT tableoid, oid FROM pg_opfamily
              UNION ALL SELECT tableoid, oid FROM pg_language UNION ALL SELECT tableoid, oid FROM pg_am
              UNION ALL SELECT tableoid, oid FROM pg_ts_config UNION ALL SELECT tableoid, oid FROM pg_ts_dict
              UNION ALL SELECT tableoid, oid FROM pg_foreign_server UNION ALL SELECT tableoid, oid FROM pg_transform
              UNION ALL SELECT tableoid, oid FROM pg_foreign_data_wrapper
          ) AS other CROSS JOIN LATERAL pg_identify_object(tableoid, oid, 0)
         WHERE oid >= 16384 AND coalesce(schema, 'public') = 'public'
           AND NOT EXISTS (SELECT FROM member WHERE classid = tableoid AND objid = oid)
        UNION ALL
        SELECT true, object, 'grant ' || name, string_agg(allowed, ', ' ORDER BY allowed COLLATE "C")
          FROM given WHERE NOT is_owners AND NOT reads_only GROUP BY object, name
        UNION ALL
        SELECT true, 'role {app}', attribute, 'yes' FROM pg_roles CROSS JOIN LATERAL (VALUES
            ('superuser', rolsuper), ('createrole', rolcreaterole), ('createdb', rolcreatedb),
            ('bypassrls', rolbypassrls), ('replication', rolreplication),
            ('creates in public', has_schema_privilege(oid, 'public', 'CREATE'))
        ) AS has (attribute, given) WHERE given AND rolname = %(app)s
        UNION ALL
        SELECT DISTINCT true, 'role {app}', 'member of ' || roleid::regrole, 'yes'
          FROM pg_auth_members JOIN pg_roles ON pg_roles.oid = member
         WHERE rolname = %(app)s AND roleid::regrole::text <> 'pg_use_reserved_connections'

        UNION ALL
        SELECT false, 'who may only read', name || ', ' || object, string_agg(allowed, ', ' ORDER BY allowed COLLATE "C")
          FROM given WHERE NOT is_owners AND reads_only GROUP BY object, name
        UNION ALL
        SELECT false, 'role ' || rolname, attribute, 'yes' FROM pg_roles CROSS JOIN owner CROSS JOIN LATERAL (VALUES
            ('superuser', rolsuper), ('createrole', rolcreaterole), ('createdb', rolcreatedb),
            ('bypassrls', rolbypassrls), ('replication', rolreplication),
            ('application', rolname = %(app)s), ('owner', pg_roles.oid = owner.id)
        ) AS has (attribute, given) WHERE given AND left(rolname, 3) <> 'pg_'
        UNION ALL
        SELECT false, 'role ' || rolname, 'member of ' || roleid::regrole,
               concat_ws(', ', CASE WHEN bool_or(admin_option) THEN 'admin' END,
                         CASE WHEN bool_or(inherit_option) THEN 'inherit' END,
                         CASE WHEN bool_or(set_option) THEN 'set' END)
          FROM pg_auth_members JOIN pg_roles ON pg_roles.oid = member
         WHERE left(rolname, 3) <> 'pg_' GROUP BY rolname, roleid
        UNION ALL
        SELECT false, coalesce('role ' || rolname, 'database'),
               'settings' || CASE WHEN setdatabase = 0 OR setrole = 0 THEN '' ELSE ' in the database' END,
               array_to_string(setconfig, ', ')
          FROM pg_db_role_setting LEFT JOIN pg_roles ON pg_roles.oid = setrole
         WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        UNION ALL
        SELECT false, 'database', 'owner', role.own_name
          FROM pg_database JOIN role ON role.oid = datdba WHERE datname = current_database()
        UNION ALL
        SELECT false, 'database', 'grant ' || own_name, string_agg(privilege_type, ', ' ORDER BY privilege_type)
          FROM pg_database CROSS JOIN LATERAL aclexplode(coalesce(datacl, acldefault('d', datdba)))
          JOIN role ON role.oid = grantee WHERE datname = current_database() AND grantee <> datdba GROUP BY own_name
        UNION ALL
        SELECT false, 'schema ' || nspname, 'owner', own_name FROM pg_namespace JOIN role ON role.oid = nspowner
         WHERE left(nspname, 3) <> 'pg_' AND nspname <> ALL (%(own_schemas)s::text[])
        UNION ALL SELECT false, 'extension ' || extname, 'version', extversion FROM pg_extension
        UNION ALL
        SELECT false, 'extension ' || extname, type || ' ' || identity, 'yes'
          FROM member JOIN pg_extension ON pg_extension.oid = extension
         CROSS JOIN LATERAL pg_identify_object(classid, objid, 0) WHERE schema = 'public'
        UNION ALL
        SELECT false, 'event trigger ' || evtname, evtevent::text,
               concat_ws(' ', evtfoid::regprocedure, evtenabled, evttags)
          FROM pg_event_trigger
        UNION ALL
        SELECT false, 'publication ' || pubname, 'tables',
               CASE WHEN puballtables THEN 'all' ELSE (
                   SELECT string_agg(prrelid::regclass::text, ', ' ORDER BY prrelid::regclass::text COLLATE "C")
                     FROM pg_publication_rel WHERE prpubid = pg_publication.oid
               ) END
          FROM pg_publication
        UNION ALL
        SELECT false, 'subscription ' || subname, 'enabled', subenabled::text FROM pg_subscription
         WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) AS described (migrated, object, name, value)
)
